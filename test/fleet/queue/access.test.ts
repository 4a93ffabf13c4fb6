import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/engine/core/text/errors.ts';
import { openEngine } from '../../../src/fleet/queue/engine.ts';
import { aJob, aWorker, RESULT, taken } from '../../support/fleet/engine-contract.ts';
import { openStore, type Store } from '../../support/fleet/stores.ts';

const PASSWORD = 'p@ss w/ö:rd';
const REDIS_RULE = '~untildone:* resetchannels +@all -@admin -@dangerous +info';

let folder: string;
let store: Store;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'untildone-access-'));
  store = await openStore({ tls: certificate(folder) });
});

afterAll(async () => {
  await store.close();
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
    const { url, port } = store;
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
