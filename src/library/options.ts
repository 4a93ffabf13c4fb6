/** From what a program says to what a run is started with. JavaScript has no compiler that checks it: we do. */
import { contractFrom } from '../contract/contract-file.ts';
import type { Limits } from '../core/contract/contract.ts';
import { RUN_MODES } from '../core/contract/contract.ts';
import { PERMISSION_MODES } from '../core/run/run.ts';
import { oneLine } from '../core/text/clip.ts';
import { UsageError } from '../core/text/errors.ts';
import type { ClientOptions } from '../run/begin/client-options.ts';
import type { RunOptions as DrivingOptions } from '../run/begin/drive-run.ts';
import type { RunLimits, RunOptions } from './types.ts';

/** Only what was said: the contract, or the run that goes on, says the rest. */
export function clientOptions(options: RunOptions): Partial<ClientOptions> {
  const { model, permissionMode, allow, maxTurns } = options;
  demand(oneOf(PERMISSION_MODES), { permissionMode });
  demand(TEXT, { model });
  demand(TEXTS, { allow });
  demand(WHOLE, { maxTurns });
  return {
    ...(model === undefined ? {} : { model }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(allow === undefined ? {} : { allow: [...allow] }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
  };
}

export function drivingOptions(
  options: RunOptions,
  client: Partial<ClientOptions>,
  note: (text: string) => void,
): DrivingOptions {
  const { task, trust, promise, features, mode, freshEvery } = options;
  demand(TEXT, { task, trust, promise, features });
  demand(oneOf(RUN_MODES), { mode });
  demand(WHOLE, { freshEvery });
  return {
    task: task ?? '',
    client,
    limits: limitsFrom(options.limits ?? {}),
    ...(mode === undefined ? {} : { mode }),
    ...(freshEvery === undefined ? {} : { freshEvery }),
    ...(trust === undefined ? {} : { trust }),
    ...(promise === undefined ? {} : { promise }),
    ...(features === undefined ? {} : { features }),
    ...contractOf(options, note),
  };
}

/** The program that names the commands is started by a person, as a script of theirs would be. */
function contractOf(
  { contract: given }: RunOptions,
  note: (text: string) => void,
): Pick<DrivingOptions, 'contract' | 'contractFile' | 'trust'> {
  if (given === undefined) return {};
  if (typeof given === 'string') return { contractFile: given };
  const { contract, warnings } = contractFrom(given);
  for (const warning of warnings) note(`Note: ${warning}`);
  return { contract, trust: true };
}

function limitsFrom({ iterations, durationMs, costUsd, tokens, context }: RunLimits): Partial<Limits> {
  demand(orUnlimited(WHOLE), { 'limits.iterations': iterations, 'limits.tokens': tokens });
  demand(orUnlimited(POSITIVE), { 'limits.durationMs': durationMs, 'limits.costUsd': costUsd });
  demand(SHARE, { 'limits.context': context });
  return {
    ...(iterations === undefined ? {} : { iterations }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(context === undefined ? {} : { context }),
  };
}

interface Expected {
  words: string;
  holds(value: unknown): boolean;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const TEXT: Expected = { words: 'a text', holds: (value) => typeof value === 'string' };
const TEXTS: Expected = {
  words: 'a list of texts',
  holds: (value) => Array.isArray(value) && value.every(TEXT.holds),
};
const WHOLE: Expected = {
  words: 'a whole number from 1',
  holds: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
};
const POSITIVE: Expected = { words: 'a number above 0', holds: (value) => isNumber(value) && value > 0 };
const SHARE: Expected = {
  words: 'a share of the context window from 0.1 to 0.95',
  holds: (value) => isNumber(value) && value >= 0.1 && value <= 0.95,
};

function oneOf(values: readonly string[]): Expected {
  return { words: `one of ${values.join(', ')}`, holds: (value) => values.includes(value as string) };
}

function orUnlimited({ words, holds }: Expected): Expected {
  return { words: `${words}, or 'unlimited'`, holds: (value) => value === 'unlimited' || holds(value) };
}

function demand({ words, holds }: Expected, values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || holds(value)) continue;
    const found = typeof value === 'number' ? String(value) : JSON.stringify(value);
    throw new UsageError(`expected ${words}, found ${oneLine(found ?? typeof value, 60)} in ${name}`);
  }
}
