import { join } from 'node:path';
import type { ContractFile } from '../../engine/contract/read.ts';
import { sumUp, type Verdict } from '../../engine/core/loop/verdict.ts';
import type { ReportedContract } from '../../engine/core/report/report.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { traitsOf } from '../../engine/gates/traits.ts';
import { projectFolder, readKey } from '../../engine/home/layout.ts';
import { verdictCache } from '../../engine/home/verdicts.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { type NotJudged, type Verification, verify } from '../../engine/judging/verify.ts';
import { endLeftOver } from '../../engine/project/shell/left-over.ts';
import { prepareAttestation } from './attest.ts';
import { contractToJudgeBy, type JudgedContract } from './judged-contract.ts';
import { baseFrom, leftAt } from './verify-base.ts';
import { prepareReports, type ReportOptions, type Reports } from './verify-report.ts';

export interface VerifyOptions extends ReportOptions {
  fresh: boolean;
  /** A commit, branch or tag. `forbid` and `tests_intact` look at what changed since then. */
  base?: string;
  gates?: string[];
  contract?: string;
  /** A commit, branch or tag whose contract counts, instead of the one that the work may have changed. */
  contractFrom?: string;
  /** What it means that the work changes that contract, or what its commands run. */
  onContractChange?: 'warn' | 'fail';
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
  /** Throws when the commands of this contract may not run. */
  accept?(file: ContractFile): Promise<void>;
  /** Ends the judging, and everything that it started. */
  signal?: AbortSignal;
}

/** Exit code: 0 done, 1 not done, 2 could not be judged: also when a gate was skipped for want of an earlier commit. */
export async function verifyCommand(
  options: VerifyOptions,
  world: ProjectPorts,
  out: (line: string) => void,
): Promise<number> {
  const reports = prepareReports(options, world, out);
  try {
    return await judgeAndReport(options, world, reports);
  } catch (error) {
    await reports.couldNotJudge(error as Error);
    throw error;
  }
}

async function judgeAndReport(
  options: VerifyOptions,
  world: ProjectPorts,
  reports: Reports,
): Promise<number> {
  if (options.onContractChange === 'fail' && options.contractFrom === undefined)
    throw new UsageError('--on-contract-change goes with --contract-from COMMIT');
  const judged = await contractToJudgeBy(options, world);
  const { file, reported } = judged;
  refuseUnjudgeable(options, judged);
  await options.accept?.(file);
  const judges = await world.judges(file.contract);
  const workspace = judges.workspace(world.project);
  const attestation = await prepareAttestation(options, file, workspace, world);
  const began = reported.from && (await leftAt(workspace, reported.from.commit));
  const folder = join(projectFolder(world.home, world.project), 'verify');
  const verification = await verify(
    {
      contract: file.contract,
      project: world.project,
      task: file.contract.task ?? '',
      base: await baseFrom(options.base ?? attestation?.base ?? began, workspace),
      allowed: options.allow,
      outputDir: join(folder, 'output'),
      gates: options.gates,
      signal: options.signal,
      // A statement is about what was judged for it.
      cache:
        options.fresh || attestation
          ? undefined
          : verdictCache(join(folder, 'verdicts'), readKey(world.home)),
    },
    judges,
  );
  const summary = summaryOf(verification, options.allowSkipped ?? []);
  const found = exitCodeOf(verification.verdicts, summary);
  // What a gate left running could change what is written about it.
  if (writesFiles(options)) await endLeftOver();
  const { exitCode, ...said } = withContractChange(reported, { ...summary, exitCode: found }, options);
  await reports.judged({ ...verification, ...said, exitCode, contract: reported });
  if (exitCode === EXIT.ok && attestation) await attestation.write({ ...verification, ...said });
  return exitCode;
}

function writesFiles({ summary, sarif, attest, statement, predicate }: VerifyOptions): boolean {
  return [summary, sarif, attest, statement, predicate].some((path) => path !== undefined);
}

/** What becomes of a result when the contract is changed here, or what it runs. */
function withContractChange(
  { changed, unknown }: ReportedContract,
  found: Summary & { exitCode: number },
  { onContractChange = 'warn' }: VerifyOptions,
): Summary & { exitCode: number } {
  const names = changed.map(({ name }) => name).join(', ');
  if (onContractChange === 'fail' && (names !== '' || unknown !== undefined)) {
    const why = names === '' ? unknown : `the contract, or what it runs, is changed here: ${names}`;
    const rest = found.exitCode === EXIT.ok ? '' : `; ${found.words}`;
    return { result: 'failing', exitCode: EXIT.no, words: `NOT done: ${why}${rest}` };
  }
  return names === '' ? found : { ...found, words: `${found.words}; changed here: ${names}` };
}

function refuseUnjudgeable({ gates = [], allowSkipped = [] }: VerifyOptions, { file }: JudgedContract): void {
  const unknown = [...gates, ...allowSkipped].find((name) => !Object.hasOwn(file.contract.gates, name));
  if (unknown)
    throw new UsageError(
      `there is no gate "${unknown}"; there are: ${Object.keys(file.contract.gates).join(', ')}`,
    );
  if (Object.values(file.contract.gates).every(({ kind }) => traitsOf(kind).isWord)) {
    throw new UsageError('this contract asks for nothing but a promise, and only a session can state one');
  }
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
