/**
 * The secret that all machines of a fleet share. It seals what is submitted, and gives each run a key of its own: a session
 * that gets hold of the key of its run can forge nothing of other runs.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { RunSpec } from '../engine/core/fleet/spec.ts';
import { UsageError } from '../engine/core/text/errors.ts';
import { hmacSha256 } from '../engine/files/digest.ts';
import { withLock } from '../engine/files/lock.ts';
import { readSmall, writeWhole } from '../engine/files/whole-file.ts';
import { type Home, sealedJson, unsealedJson } from '../engine/home/layout.ts';

export const SECRET_VARIABLE = 'UNTILDONE_FLEET_SECRET';
const SECRET = /^[0-9a-f]{64}$/;

export function secretFile({ root }: Home): string {
  return join(root, 'fleet-secret');
}

/** The secret of the environment, else of the home; undefined when there is none yet. */
export function readSecret(env: NodeJS.ProcessEnv, home: Home): string | undefined {
  const given = env[SECRET_VARIABLE];
  const text = (given || readSmall(secretFile(home)))?.trim();
  if (text === undefined) return undefined;
  if (SECRET.test(text)) return text;
  const where = given ? `the variable ${SECRET_VARIABLE}` : secretFile(home);
  throw new UsageError(
    `${where} does not hold the secret of a fleet, which has 64 hexadecimal digits; make one: untildone fleet secret`,
  );
}

/** The secret, made on first use: on one machine nobody has to do anything. */
export function ownSecret(env: NodeJS.ProcessEnv, home: Home): string {
  return (
    readSecret(env, home) ??
    withLock(`${secretFile(home)}.lock`, () => {
      const made = readSecret(env, home) ?? randomBytes(32).toString('hex');
      writeWhole(secretFile(home), `${made}\n`);
      return made;
    })
  );
}

export function keyOfRun(run: string, secret: string): string {
  return hmacSha256(secret, `key of run ${run}`);
}

/** Sealed with the key of the run, so that the process which drives it can read it. */
export function sealSpec(spec: RunSpec, secret: string): string {
  return sealedJson(spec, purposeOf(spec.run), keyOfRun(spec.run, secret));
}

/** Undefined when the seal does not fit: others wrote it, or a machine with another secret. */
export function readSpec(text: string, run: string, key: string): RunSpec | undefined {
  const spec = unsealedJson<RunSpec>(text, purposeOf(run), key);
  return spec?.v === 1 && spec.run === run ? spec : undefined;
}

/** The fields of a sealed spec, also of a version that this program cannot read; undefined when the seal does not fit. */
export function sealedFieldsOf(text: string, run: string, secret: string): RunSpec | undefined {
  const spec = unsealedJson<RunSpec>(text, purposeOf(run), keyOfRun(run, secret));
  return spec?.run === run ? spec : undefined;
}

/** The version of a sealed spec, also of one that this program cannot read; undefined when the seal does not fit. */
export function versionOfSpec(text: string, run: string, key: string): number | undefined {
  return unsealedJson<{ v?: number }>(text, purposeOf(run), key)?.v;
}

function purposeOf(run: string): string {
  return `spec of run ${run}`;
}
