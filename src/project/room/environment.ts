/** The environment of a loop's start, for commands in a clean room. */
import { hmacSha256 } from '../../files/digest.ts';
import { scrubbedEnvironment } from '../shell/shell.ts';

export interface KeptEnvironment {
  /** Variables with their values. */
  values: Record<string, string>;
  /** Variables that may be secrets, with a keyed digest of their value: secrets are not written to disk. */
  secrets: Record<string, string>;
}

const MAY_BE_SECRET = /key|token|secret|passw|credential|auth|cookie|session|dsn|_url$|^database|connection/i;

export function keepEnvironment(environment: NodeJS.ProcessEnv, key: string): KeptEnvironment {
  const kept: KeptEnvironment = { values: {}, secrets: {} };
  for (const [name, value] of Object.entries(scrubbedEnvironment(environment))) {
    if (MAY_BE_SECRET.test(name)) kept.secrets[name] = digestOf(name, value, key);
    else kept.values[name] = value;
  }
  return kept;
}

export interface RoomEnvironment {
  values: Record<string, string>;
  /** Names that were asked for and are missing, or not what they were at the start. */
  changed: string[];
}

/** The kept variables, and those of `passed` whose value is still the one of the start. */
export function environmentAsKept(
  kept: KeptEnvironment,
  now: NodeJS.ProcessEnv,
  passed: readonly string[],
  key: string,
): RoomEnvironment {
  const values = { ...kept.values };
  const changed: string[] = [];
  for (const name of passed.filter((each) => !(each in kept.values))) {
    const value = now[name];
    if (value !== undefined && kept.secrets[name] === digestOf(name, value, key)) values[name] = value;
    else changed.push(name);
  }
  return { values, changed };
}

function digestOf(name: string, value: string, key: string): string {
  return hmacSha256(key, `environment\n${name}\n${value}`);
}
