/** What a contract runs on a worker, in a few lines: who submits a run trusts this. */
import type { Contract, GateSpec } from '../contract/contract.ts';
import { oneLine } from '../text/clip.ts';

const LINE = 160;

/** `tests: npm test`. `verify`: the commands of the feature lists. */
export function whatRuns(contract: Contract, verify: readonly string[] = []): string[] {
  const gates = Object.entries(contract.gates).flatMap(([name, spec]) =>
    commandsOf(spec).map((line) => [name, line] as const),
  );
  const told = contract.notify.flatMap(({ webhook, command }) => webhook ?? command ?? []);
  return [
    ...(contract.run?.setup?.run ?? []).map((line) => ['run.setup', line] as const),
    ...(contract.room?.setup?.run ?? []).map((line) => ['setup', line] as const),
    ...gates,
    ...verify.map((line) => ['features', line] as const),
    ...told.map((line) => ['notify', line] as const),
  ].map(([name, line]) => oneLine(`${name}: ${line}`, LINE));
}

function commandsOf({ kind, options }: GateSpec): string[] {
  if (kind === 'custom') return [options.file];
  if ('command' in options) {
    const { command, quick, cwd } = options as { command: string; quick?: string; cwd?: string };
    const where = cwd === undefined ? '' : `${cwd}$ `;
    return [command, ...(quick === undefined ? [] : [quick])].map((line) => `${where}${line}`);
  }
  return [];
}
