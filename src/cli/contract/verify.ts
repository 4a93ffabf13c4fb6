import { join } from 'node:path';
import { readContract } from '../../contract/read.ts';
import { CONTRACT_FILE } from '../../core/contract/contract.ts';
import { sumUp, type Verdict } from '../../core/loop/verdict.ts';
import { UsageError } from '../../core/text/errors.ts';
import { jsonLines } from '../../core/text/visible.ts';
import { EXIT } from '../../core/words/exit-codes.ts';
import { traitsOf } from '../../gates/traits.ts';
import { projectFolder, readKey } from '../../home/layout.ts';
import { verdictCache } from '../../home/verdicts.ts';
import type { World } from '../../hook/wiring/world.ts';
import type { Judges } from '../../judging/ports.ts';
import { type NotJudged, type Verification, type VerifyBase, verify } from '../../judging/verify.ts';
import { paint, type Style, VERDICT_STYLES } from '../../terminal/style.ts';
import { prepareAttestation } from './attest.ts';

export interface VerifyOptions {
  fresh: boolean;
  format: 'text' | 'json' | 'github';
  /** A commit, branch or tag. `forbid` and `tests_intact` look at what changed since then. */
  base?: string;
  gates?: string[];
  contract?: string;
  /** Gates that may be skipped for want of something to compare with. */
  allowSkipped?: string[];
  /** Exceptions that are allowed by name. */
  allow?: string[];
  /** What is written about the work, for others to check. */
  attest?: string;
  statement?: string;
  predicate?: string;
  receipt?: string;
  key?: string;
  signKey?: string;
}

/** Exit code: 0 done, 1 not done, 2 could not be judged: also when a gate was skipped for want of an earlier commit. */
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
  const unknown = [...(options.gates ?? []), ...(options.allowSkipped ?? [])].find(
    (name) => !Object.hasOwn(file.contract.gates, name),
  );
  if (unknown)
    throw new UsageError(
      `there is no gate "${unknown}"; there are: ${Object.keys(file.contract.gates).join(', ')}`,
    );
  if (Object.values(file.contract.gates).every(({ kind }) => traitsOf(kind).isWord)) {
    throw new UsageError('this contract asks for nothing but a promise, and only a session can state one');
  }
  const judges = await world.judges(file.contract);
  const attestation = await prepareAttestation(options, file, judges.workspace(world.project), world);
  const folder = join(projectFolder(world.home, world.project), 'verify');
  const verification = await verify(
    {
      contract: file.contract,
      project: world.project,
      task: file.contract.task ?? '',
      base: await baseFrom(options.base ?? attestation?.base, world.project, judges),
      allowed: options.allow,
      outputDir: join(folder, 'output'),
      gates: options.gates,
      // A statement is about what was judged for it.
      cache:
        options.fresh || attestation
          ? undefined
          : verdictCache(join(folder, 'verdicts'), readKey(world.home)),
    },
    judges,
  );
  const summary = summaryOf(verification, options.allowSkipped ?? []);
  for (const line of report(verification, summary, options.format)) out(line);
  const exitCode = exitCodeOf(verification.verdicts, summary);
  if (exitCode === EXIT.ok && attestation) await attestation.write({ ...verification, ...summary });
  return exitCode;
}

/** Names of the branch that yours may have left, the likeliest first. */
const USUAL_BASES = ['@{upstream}', 'origin/HEAD', 'origin/main', 'origin/master'];

const SHALLOW =
  'this clone is shallow and lacks the commit that the work began with; get it with git fetch --unshallow (in CI: a checkout with the whole history), or name one that is here with --base';

/** Finds the base: what you named, else where your branch left the shared one, else the last commit. */
async function baseFrom(given: string | undefined, project: string, judges: Judges): Promise<VerifyBase> {
  const workspace = judges.workspace(project);
  const resolved = async (...args: string[]) => {
    const { exitCode, stdout } = await workspace.git(args);
    return exitCode === 0 ? stdout.trim() : undefined;
  };
  const commitOf = (name: string) =>
    resolved('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`);
  const isShallow = async () => (await resolved('rev-parse', '--is-shallow-repository')) === 'true';
  const head = await commitOf('HEAD');
  let commit = given === undefined ? head : await commitOf(given);
  if (commit === undefined) {
    if (given === undefined) return {};
    const hint = (await isShallow())
      ? '; this clone is shallow: get the rest with git fetch --unshallow'
      : '';
    throw new UsageError(`"${given}" is no commit, branch or tag of this repository${hint}`);
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
  const unknown = given === undefined && commit === head && (await isShallow()) ? SHALLOW : undefined;
  return { commit, tree, unknown };
}

interface Summary {
  result: ReturnType<typeof sumUp>['result'] | 'skipped';
  words: string;
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

/** Says "verified" only of what was verified, and names the rest. */
function summaryOf({ verdicts, notJudged }: Verification, allowed: readonly string[]): Summary {
  const { result } = sumUp(verdicts);
  const uncompared = namesOf(notJudged, 'nothing_to_compare');
  const missed = uncompared.filter((gate) => !allowed.includes(gate));
  const isDone = result === 'verified' || result === 'claimed';
  if (isDone && missed.length > 0) {
    const options = missed.map((gate) => `--allow-skipped ${gate}`).join(' ');
    const words = `NOT verified: skipped: ${missed.join(', ')}. What was judged passes; to accept that: ${options}`;
    return { result: 'skipped', words };
  }
  const notes = [
    ['skipped', uncompared],
    ['does not apply here', namesOf(notJudged, 'not_concerned')],
    ['judged only in a session', namesOf(notJudged, 'session')],
  ] as const;
  const apart = notes
    .filter(([, gates]) => gates.length > 0)
    .map(([how, gates]) => `${how}: ${gates.join(', ')}`);
  return { result, words: [WORDS[result], ...(isDone ? apart : [])].join('; ') };
}

function namesOf(notJudged: readonly NotJudged[], why: NotJudged['why']): string[] {
  return [...new Set(notJudged.filter((one) => one.why === why).map(({ gate }) => gate))];
}

/** Exits with 0 only for work that was judged and passed: not when a gate stayed open, or none was judged. */
function exitCodeOf(verdicts: readonly Verdict[], { result }: Summary): number {
  if (verdicts.some((v) => v.outcome === 'fail')) return EXIT.no;
  return result === 'verified' || result === 'claimed' ? EXIT.ok : EXIT.refused;
}

function report(
  { verdicts, notJudged }: Verification,
  { result, words }: Summary,
  format: VerifyOptions['format'],
): string[] {
  switch (format) {
    case 'json':
      return jsonLines({ result, summary: words, not_judged: notJudged, verdicts: verdicts.map(namedAlike) });
    case 'github':
      return [
        ...verdicts.flatMap(annotations),
        ...(result === 'skipped' ? [`::warning title=untildone::${escaped(words)}`] : []),
        `untildone: ${words}`,
      ];
    case 'text':
      return [
        ...verdicts.flatMap((v) => textOf(v, '')),
        `untildone: ${paint(RESULT_STYLES[result] ?? 'open', words)}`,
      ];
  }
}

/** Names a gate and its verdict as all JSON of untildone does, beside `gate` and `outcome`. */
function namedAlike(verdict: Verdict): Record<string, unknown> {
  const { gate: name, outcome, children } = verdict;
  return { name, verdict: outcome, ...verdict, ...(children && { children: children.map(namedAlike) }) };
}

function textOf(verdict: Verdict, indent: string): string[] {
  const what = verdict.reusedFrom === undefined ? 'nothing changed' : 'none of its inputs changed';
  const again = verdict.reused ? ` [as before: ${what}]` : '';
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
