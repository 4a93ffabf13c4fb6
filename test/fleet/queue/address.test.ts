import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/engine/core/text/errors.ts';
import { readAddress } from '../../../src/fleet/queue/address.ts';
import { requirePackages } from '../../../src/fleet/queue/load.ts';

const CA = join(tmpdir(), `untildone-ca-${process.pid}.crt`);
writeFileSync(CA, 'a certificate');

describe('the URL of a queue', () => {
  test.each([
    ['redis://h', { host: 'h', port: 6379, database: '0', space: 'untildone', place: 'redis://h:6379/0' }],
    [
      'redis://u:p%40@h:1/3?prefix=a',
      { user: 'u', password: 'p@', port: 1, database: '3', space: 'a', place: 'redis://h:1/3 (a)' },
    ],
    ['redis://:only@h', { password: 'only', place: 'redis://h:6379/0' }],
    [' redis://[::1]:7/0\n', { host: '::1', place: 'redis://[::1]:7/0' }],
    ['rediss://h', { tls: {} }],
    [`rediss://h?ca=${CA}`, { tls: { ca: 'a certificate' } }],
  ])('%s', (url, parts) => {
    expect(readAddress(url, {})).toMatchObject(parts);
  });

  test.each([
    ['', /--queue or UNTILDONE_QUEUE/],
    ['localhost:6379', /begins with redis/],
    ['mysql://h', /begins with redis or rediss, not mysql:/],
    [
      'postgres://u:secret pass@h/db?schema=s',
      /PostgreSQL as a queue is gone: use Redis or Valkey.*fleet reconcile/,
    ],
    ['postgresql:///db?host=/run/postgresql', /PostgreSQL as a queue is gone/],
    ['redis://secret pass@h:x', /cannot be read/],
    ['redis://h/runs', /database of a Redis URL is a number/],
    ['redis://h?schema=x', /unknown parameter "schema"; for redis there are prefix/],
    ['redis://h?prefix=a*b', /prefix "a\*b" will not do/],
    ['redis://h?ca=/x', /only used with rediss/],
    ['rediss://h?ca=/not/there', /file with the CA of the queue cannot be read/],
  ])('%s is refused with what to do', (url, words) => {
    expect(() => readAddress(url, {})).toThrow(UsageError);
    expect(() => readAddress(url, {})).toThrow(words);
    expect(() => readAddress(url, {})).not.toThrow(/secret pass/);
  });

  test('the password and the CA come from variables, the URL wins', () => {
    const env = { UNTILDONE_QUEUE_PASSWORD: 'of env', UNTILDONE_QUEUE_CA: CA };
    expect(readAddress('redis://u@h', env)).toMatchObject({ user: 'u', password: 'of env' });
    expect(readAddress('redis://u@h', env).tls).toBeUndefined();
    expect(readAddress('rediss://u:p@h', env)).toMatchObject({ password: 'p', tls: { ca: 'a certificate' } });
  });
});

describe('packages that do not come with untildone', () => {
  const installed = (versions: Record<string, string>) => {
    const load = (name: string) => ({ version: versions[name.replace('/package.json', '')] });
    const resolve = (name: string) => {
      if (versions[name] === undefined) throw new Error(`Cannot find module ${name}`);
      return name;
    };
    return Object.assign(load, { resolve }) as unknown as NodeJS.Require;
  };

  test.each([
    [
      {},
      /bullmq is not installed, ioredis is not installed; run: npm install -g bullmq@6\.7\.0 ioredis@6\.0\.0 /,
    ],
    [{ bullmq: '6.7.0' }, /: ioredis is not installed; run: npm install -g ioredis@6\.0\.0 /],
    [
      { bullmq: '5.70.0', ioredis: '5.4.0' },
      /bullmq 5\.70\.0 is installed, which does not fit; run: npm install -g bullmq@6\.7\.0 /,
    ],
    [{ bullmq: '7.0.0', ioredis: '6.0.0' }, /bullmq 7\.0\.0 is installed/],
    [{ bullmq: '6.6.9', ioredis: '6.0.0' }, /bullmq 6\.6\.9 is installed/],
  ])('%j', (versions, words) => {
    expect(() => requirePackages(installed(versions))).toThrow(words);
  });

  test('newer ones that fit are fine', () => {
    requirePackages(installed({ bullmq: '6.8.1', ioredis: '7.0.0' }));
    requirePackages();
  });
});
