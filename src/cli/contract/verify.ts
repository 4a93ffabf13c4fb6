import { join } from 'node:path';
import { readContract } from '../../contract/read.ts';
import { CONTRACT_FILE } from '../../core/contract/contract.ts';
import { sumUp, type Verdict } from '../../core/loop/verdict.ts';
import { UsageError } from '../../core/text/errors.ts';
import { jsonLines } from '../../core/text/visible.ts';
import { traitsOf } from '../../gates/traits.ts';
import { projectFolder, readKey } from '../../home/layout.ts';
import { verdictCache } from '../../home/verdicts.ts';
import type { World } from '../../hook/wiring/world.ts';
import type { Judges } from '../../judging/ports.ts';
import { verify } from '../../judging/verify.ts';
import { paint, type Style, VERDICT_STYLES } from '../../terminal/style.ts';

export interface VerifyOptions {
  fresh: boolean;
  format: 'text' | 'json' | 'github';
  /** A commit, branch or tag. `forbid` and `tests_intact` look at what changed since then. */
  base?: string;
  gates?: string[];
  contract?: string;
}

/** Exit code: 0 done, 1 not done, 2 could not be judged. */
export async function verifyCommand(
  options: VerifyOptions,
  world: World,
  out: (line: string) => void,
): Promise<number> {
  const file = readContract(world.project, options.contract);
  if (!file)
    throw new UsageError(
      `there is no ${options.contract ?? CONTRACT_FILE} in ${world.project}; make one with: untildone init`,
    );
  const unknown = options.gates?.find((name) => !Object.hasOwn(file.contract.gates, name));
  if (unknown)
    throw new UsageError(
      `there is no gate "${unknown}"; there are: ${Object.keys(file.contract.gates).join(', ')}`,
    );
  if (Object.values(file.contract.gates).every(({ kind }) => traitsOf(kind).isWord)) {
    throw new UsageError('this contract asks for nothing but a promise, and only a session can state one');
  }
  const judges = await world.judges(file.contract);
  const folder = join(projectFolder(world.home, world.project), 'verify');
  const verdicts = await verify(
    {
      contract: file.contract,
      project: world.project,
      task: file.contract.task ?? '',
      base: await baseFrom(options.base, world.project, judges),
      outputDir: join(folder, 'output'),
      gates: options.gates,
      cache: options.fresh ? undefined : verdictCache(join(folder, 'verdicts'), readKey(world.home)),
    },
    judges,
  );
  for (const line of report(verdicts, options.format)) out(line);
  return exitCodeOf(verdicts);
}

/** Names of the branch that yours may have left, the likeliest first. */
const USUAL_BASES = ['@{upstream}', 'origin/HEAD', 'origin/main', 'origin/master'];

/** Finds the base: what you named, else where your branch left the shared one, else the last commit. */
async function baseFrom(
  given: string | undefined,
  project: string,
  judges: Judges,
): Promise<{ tree?: string; commit?: string }> {
  const workspace = judges.workspace(project);
  const resolved = async (...args: string[]) => {
    const { exitCode, stdout } = await workspace.git(args);
    return exitCode === 0 ? stdout.trim() : undefined;
  };
  const commitOf = (name: string) =>
    resolved('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`);
  let commit = await commitOf(given ?? 'HEAD');
  if (commit === undefined) {
    if (given === undefined) return {};
    throw new UsageError(`"${given}" is no commit, branch or tag of this repository`);
  }
  for (const name of given === undefined ? USUAL_BASES : []) {
    const shared = await commitOf(name);
    const began = shared === undefined ? undefined : await resolved('merge-base', 'HEAD', shared);
    if (began) {
      commit = began;
      break;
    }
  }
  const tree = await resolved('rev-parse', '--verify', '--quiet', `${commit}^{tree}`);
  return { commit, tree };
}

/** Exits with 0 only for work that was judged and passed: not when a gate stayed open, or none was judged. */
function exitCodeOf(verdicts: readonly Verdict[]): number {
  if (verdicts.some((v) => v.outcome === 'fail')) return 1;
  return ['verified', 'claimed'].includes(sumUp(verdicts).result) ? 0 : 2;
}

const WORDS = {
  failing: 'NOT done',
  verified: 'done, and verified',
  claimed: 'done by the word of the agent alone: nothing was measured',
  unproven: 'not proven: a gate that may stay open is open',
  nothing_judged: 'nothing was judged: every gate was skipped',
};

/** Only what was measured looks like success. */
const RESULT_STYLES: Record<string, Style> = { verified: 'good', failing: 'bad' };

function report(verdicts: readonly Verdict[], format: VerifyOptions['format']): string[] {
  const { result } = sumUp(verdicts);
  switch (format) {
    case 'json':
      return jsonLines({ result, verdicts: verdicts.map(namedAlike) });
    case 'github':
      return [...verdicts.flatMap(annotations), `untildone: ${WORDS[result]}`];
    case 'text':
      return [
        ...verdicts.flatMap((v) => textOf(v, '')),
        `untildone: ${paint(RESULT_STYLES[result] ?? 'open', WORDS[result])}`,
      ];
  }
}

/** Names a gate and its verdict as all JSON of untildone does, beside `gate` and `outcome`. */
function namedAlike(verdict: Verdict): Record<string, unknown> {
  const { gate: name, outcome, children } = verdict;
  return { name, verdict: outcome, ...verdict, ...(children && { children: children.map(namedAlike) }) };
}

function textOf(verdict: Verdict, indent: string): string[] {
  const again = verdict.reused ? ' [as before: nothing changed]' : '';
  const lines = [
    `${indent}${paint(VERDICT_STYLES[verdict.outcome], verdict.outcome.padEnd(8))} ${verdict.gate} (${verdict.class}) ${verdict.summary}${paint('quiet', again)}`,
  ];
  if (verdict.outcome !== 'pass')
    lines.push(...(verdict.evidence ?? []).map((e) => `${indent}           ${e}`));
  return [...lines, ...(verdict.children ?? []).flatMap((child) => textOf(child, `${indent}  `))];
}

/** Renders a verdict as workflow commands of GitHub, which shows them beside the lines that they name. */
function annotations(verdict: Verdict): string[] {
  if (verdict.outcome === 'pass' || verdict.outcome === 'skip')
    return [`${verdict.outcome}: ${verdict.gate}: ${escaped(verdict.summary)}`];
  const level = verdict.outcome === 'fail' ? 'error' : 'warning';
  const places = (verdict.evidence ?? []).flatMap((line) => {
    const place = /^\s*(?:\.\/)?([\w@.][^:\s]*):(\d+)(?::(\d+))?[:\s]+(.*)$/.exec(line);
    if (!place) return [];
    const [, path = '', row = '', column, text = ''] = place;
    const at = `file=${property(path)},line=${row}${column ? `,col=${column}` : ''}`;
    return [`::${level} ${at},title=${property(verdict.gate)}::${escaped(text || verdict.summary)}`];
  });
  return [
    `::${level} title=${property(verdict.gate)}::${escaped([verdict.summary, ...(verdict.evidence ?? [])].join('\n'))}`,
    ...places,
  ];
}

function escaped(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function property(text: string): string {
  return escaped(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}
