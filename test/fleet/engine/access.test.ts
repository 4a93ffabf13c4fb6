import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/core/text/errors.ts';
import { openEngine } from '../../../src/fleet/engine/open.ts';
import { aJob, aWorker, RESULT, taken } from '../../support/fleet/engine-contract.ts';
import { type Store, startPostgres, startRedis } from '../../support/fleet/stores.ts';

const PASSWORD = 'p@ss w/ö:rd';
const REDIS_RULE = '~untildone:* resetchannels +@all -@admin -@dangerous +info';
const GRANTS = [
  `CREATE USER worker PASSWORD '${PASSWORD}'`,
  'GRANT USAGE ON SCHEMA untildone TO worker',
  'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA untildone TO worker',
  'GRANT USAGE ON ALL SEQUENCES IN SCHEMA untildone TO worker',
];

let folder: string;
let stores: { redis: Store; postgres: Store };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'untildone-access-'));
  const tls = certificate(folder);
  const [redis, postgres] = await Promise.all([startRedis({ tls }), startPostgres({ tls })]);
  stores = { redis, postgres };
});

afterAll(async () => {
  await Promise.all([stores.redis.close(), stores.postgres.close()]);
  rmSync(folder, { recursive: true, force: true });
});

/** What a worker needs of its user. */
async function works(url: string, env: NodeJS.ProcessEnv): Promise<void> {
  const engine = await openEngine(url, env);
  try {
    await engine.ready();
    await engine.add(aJob('r-1'));
    const held = await taken(engine);
    expect(await engine.beat(aWorker('w'), [held])).toMatchObject({ lost: [] });
    await engine.claimSlots('r-1', [{ name: 'all', most: 1 }]);
    await engine.releaseSlots('r-1');
    await engine.schedule({ id: 's', when: { everyMs: 3_600_000 }, template: 't' });
    await engine.due();
    await engine.complete(held, RESULT);
    expect(await engine.remove('r-1')).toBe(true);
  } finally {
    await engine.close();
  }
}

async function refusal(url: string, env: NodeJS.ProcessEnv): Promise<string> {
  const engine = await openEngine(url, env);
  const error = await engine.ready().catch((thrown: unknown) => thrown);
  await engine.close();
  expect(error).toBeInstanceOf(UsageError);
  return (error as Error).message;
}

describe('redis with TLS and an ACL user', () => {
  test('works with the documented rule, and says what is refused', async () => {
    const { url, port } = stores.redis;
    const ca = join(folder, 'ca.crt');
    await works(`${url}?ca=${ca}`, {});
    const admin = new Redis({ host: '127.0.0.1', port, tls: { rejectUnauthorized: false } });
    await admin.acl('SETUSER', 'worker', 'on', `>${PASSWORD}`, ...REDIS_RULE.split(' '));
    await admin.acl('SETUSER', 'reader', 'on', '>r', '~untildone:*', '+@read', '+@connection', '+info');
    admin.disconnect();
    const at = `127.0.0.1:${port}`;
    await works(`rediss://worker:${encodeURIComponent(PASSWORD)}@${at}`, { UNTILDONE_QUEUE_CA: ca });
    await works(`rediss://worker@${at}?ca=${ca}`, { UNTILDONE_QUEUE_PASSWORD: PASSWORD });
    const wrong = await refusal(`rediss://worker:secretest@${at}?ca=${ca}`, {});
    expect(wrong).toContain(`rediss://${at}/0 refuses`);
    expect(wrong).not.toContain('secretest');
    expect(await refusal(`rediss://reader:r@${at}?ca=${ca}`, {})).toContain('NOPERM');
    expect(await refusal(`rediss://${at}`, {})).toMatch(/certificate/);
    expect(
      await refusal(`rediss://worker@${at}?ca=${ca}&prefix=other`, { UNTILDONE_QUEUE_PASSWORD: PASSWORD }),
    ).toContain('NOPERM');
  });
});

describe('postgres with TLS and a user with few rights', () => {
  test('works with the documented grants, and says what is refused', async () => {
    const { url, port } = stores.postgres;
    const ca = join(folder, 'ca.crt');
    await works(`${url}?sslmode=verify-full&ca=${ca}`, {});
    await works(`${url}?sslmode=require`, {});
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    for (const grant of GRANTS) await client.query(grant);
    const { rows } = await client.query<{ hba_file: string }>('SHOW hba_file');
    const file = rows[0]?.hba_file ?? '';
    const rules = ['hostssl all worker 127.0.0.1/32 scram-sha-256', 'host all worker 127.0.0.1/32 reject'];
    writeFileSync(file, `${[...rules, readFileSync(file, 'utf8')].join('\n')}`);
    await client.query('SELECT pg_reload_conf()');
    await client.end();
    const at = `127.0.0.1:${port}/postgres`;
    await works(`postgres://worker:${encodeURIComponent(PASSWORD)}@${at}?sslrootcert=${ca}`, {});
    const given = { UNTILDONE_QUEUE_PASSWORD: PASSWORD };
    await works(`postgresql://worker@${at}?sslmode=require`, given);
    expect(await refusal(`postgres://worker@${at}?schema=other&sslmode=require`, given)).toContain(
      'permission denied',
    );
    expect(await refusal(`postgres://worker@${at}`, given)).toContain('pg_hba.conf rejects');
    const wrong = await refusal(`postgres://worker:secretest@${at}?sslmode=require`, given);
    expect(wrong).toContain('password authentication failed');
    expect(wrong).not.toContain('secretest');
    expect(await refusal(`postgres://fleet@${at}?sslmode=verify-full`, {})).toMatch(/certificate/);
    expect(await refusal(`postgres://nobody@${at}`, {})).toContain('nobody');
  });
});

/** A CA, and a certificate of it for 127.0.0.1. */
function certificate(into: string): { cert: string; key: string; ca: string } {
  const file = (name: string) => join(into, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const newKey = ['-newkey', 'rsa:2048', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca.crt'),
    '-days',
    '2',
    '-subj',
    '/CN=test ca',
  );
  openssl(
    'req',
    ...newKey,
    '-keyout',
    file('server.key'),
    '-out',
    file('server.csr'),
    '-subj',
    '/CN=127.0.0.1',
  );
  writeFileSync(file('ext'), 'subjectAltName=IP:127.0.0.1\n');
  const signed = [
    '-CA',
    file('ca.crt'),
    '-CAkey',
    file('ca.key'),
    '-CAcreateserial',
    '-extfile',
    file('ext'),
  ];
  openssl('x509', '-req', '-in', file('server.csr'), '-out', file('server.crt'), '-days', '2', ...signed);
  return { cert: file('server.crt'), key: file('server.key'), ca: file('ca.crt') };
}
