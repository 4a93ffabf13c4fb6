import type { Contract, FrozenContract } from '../contract/contract.ts';
import type { TraitsOf } from '../contract/gate-traits.ts';
import { secretsOf } from '../contract/secret-values.ts';
import {
  differentialOf,
  evidenceOf,
  type Ladder,
  ladderLines,
  ladderOf,
  RUNG_WORDS,
  restsOn,
} from '../proof/ladder.ts';
import { defined } from '../text/defined.ts';
import { sayCount } from '../text/figures.ts';
import { redact } from '../text/redact.ts';
import { visible } from '../text/visible.ts';
import { describeEnding } from '../words/endings.ts';
import { answerTo } from './asked.ts';
import { elapsedMs } from './limits.ts';
import { changedTestsBefore, type StartedWith } from './started-with.ts';
import type { AskedQuestion, LoopState } from './state.ts';
import type { Verdict } from './verdict.ts';

/** What an ending rests on. docs/reference/receipt.md describes the format. */
export interface Receipt {
  v: 1;
  loop: string;
  status: string;
  /** The ending in words; it says so when nothing was measured. */
  statement: string;
  task: { sha256: string; preview: string };
  contract: { sha256: string; fileAtStart: string | null; fileNow: string | null; fingerprint: string };
  work: { commit: string | null; tree: string | null; baseCommit: string | null; baseTree: string | null };
  verdicts: ReceiptVerdict[];
  allowed: string[];
  /** Tests that differed from the last commit when the loop began; absent where none did. */
  startedWith?: StartedWith;
  /** Your answers to questions of the loop. Absent when there were none, and in receipts of older versions. */
  answers?: ReceiptAnswer[];
  /** What the agent asked, and what became of it. Absent when it asked nothing, and in receipts of older versions. */
  questions?: ReceiptQuestion[];
  /** What the ending rests on. Absent in receipts of older versions. */
  ladder?: Ladder;
  effort: {
    iterations: number;
    startedAt: string;
    endedAt: string;
    workingSeconds: number;
    tokens: number;
    costUsd: number;
  };
  /** Absent in receipts of older versions. */
  cost?: ReceiptCost;
  journal: { lines: number; lastLineSha256: string };
}

interface ReceiptAnswer {
  gate: string;
  said: string;
  note?: string;
  at: string;
}

interface ReceiptQuestion {
  name: string;
  text: string;
  options?: string[];
  at: string;
  /** answered: by you. prompted: by a prompt of yours in the session. decided: by the agent, an assumption. open: not at all. */
  said: string;
  answer?: string;
  answeredAt?: string;
}

/** What the loop has cost. */
interface ReceiptCost {
  /** Null when it is not known: Claude Code reports it when a session ends. */
  usd: number | null;
  /** The part of it that was estimated. */
  estimatedUsd: number;
  tokens: number;
  /** Of a run. */
  sessions: number | null;
  /** Working time. */
  seconds: number;
}

export interface ReceiptVerdict {
  /** The same as `gate` and `outcome`, as all JSON of untildone names them; absent in receipts of 0.1.0. */
  name?: string;
  verdict?: string;
  gate: string;
  kind: string;
  class: string;
  outcome: string;
  summary: string;
  command: string | null;
  exitCode: number | null;
  outputSha256: string | null;
  durationMs: number | null;
  reused: boolean;
  /** The tree on which a reused verdict was found, where it is not the tree of the receipt. */
  reusedFrom?: string;
  /** Where the command ran; absent: in the folder of the project. */
  room?: string;
  /** `as_found`: the dependencies there are those that lay in the project at the start. */
  dependencies?: string;
  /** The walls around it; absent: there were none. */
  walls?: string;
  /** How many tests ended how, where the runner says so. */
  tests?: { passed: number; failed: number; skipped: number };
  /** What `differential` measured. */
  differential?: unknown;
  /** The same command ended otherwise on the same tree. */
  flaky?: true;
  notes?: string[];
  /** What a person allowed although the gate objects to it. */
  exceptions?: string[];
  children: ReceiptVerdict[];
}

export interface ReceiptFacts {
  state: LoopState;
  verdicts: readonly Verdict[];
  frozen: FrozenContract;
  contractSha256: string;
  contractFileNow: string | null;
  task: { sha256: string; preview: string };
  commit: string | null;
  tree: string | null;
  journal: { lines: number; lastLineSha256: string };
}

export function makeReceipt(facts: ReceiptFacts, traitsOf: TraitsOf): Receipt {
  const { state, frozen } = facts;
  const endedAt = state.ending?.at ?? state.lastAt;
  return {
    v: 1,
    loop: state.loop,
    status: state.status,
    statement: describeEnding(state),
    task: facts.task,
    contract: {
      sha256: facts.contractSha256,
      fileAtStart: frozen.frozen.contractFile ?? null,
      fileNow: facts.contractFileNow,
      fingerprint: frozen.frozen.fingerprint,
    },
    work: {
      commit: facts.commit,
      tree: facts.tree,
      baseCommit: state.base.commit ?? null,
      baseTree: state.base.tree ?? null,
    },
    verdicts: facts.verdicts.map((verdict) => receiptVerdict(verdict, frozen.contract, traitsOf)),
    allowed: state.allowed,
    ...(state.startedWith ? { startedWith: state.startedWith } : {}),
    ...answersIn(state),
    ...questionsIn(state),
    ladder: ladderOf(facts.verdicts.map(evidenceOf), { allowed: state.allowed }),
    effort: {
      iterations: state.iteration,
      startedAt: new Date(state.startedAt).toISOString(),
      endedAt: new Date(endedAt).toISOString(),
      workingSeconds: Math.round(elapsedMs(state, endedAt) / 1000),
      tokens: state.spent.tokens,
      costUsd: state.spent.costUsd,
    },
    cost: costOf(state),
    journal: facts.journal,
  };
}

function questionsIn(state: LoopState): { questions?: ReceiptQuestion[] } {
  const { questions = [] } = state;
  if (questions.length === 0) return {};
  const line = (question: AskedQuestion): ReceiptQuestion => {
    const { name, text, options, at } = question;
    const given = answerTo(state, question);
    const asked = { name, text, ...defined({ options }), at: new Date(at).toISOString() };
    if (!given) return { ...asked, said: 'open' };
    const answeredAt = new Date(given.at).toISOString();
    return { ...asked, said: given.said, ...defined({ answer: given.note }), answeredAt };
  };
  return { questions: questions.map(line) };
}

function answersIn({ answers = {}, questions = [] }: LoopState): { answers?: ReceiptAnswer[] } {
  const ofGates = Object.entries(answers).filter(([name]) => questions.every((asked) => asked.name !== name));
  const given = ofGates.map(([gate, { said, note, at }]) => ({
    gate,
    said,
    at: new Date(at).toISOString(),
    ...defined({ note }),
  }));
  return given.length === 0 ? {} : { answers: given };
}

/** The cost of a run is known when its last session has ended, which is after its receipt is made. */
function costOf(state: LoopState): ReceiptCost {
  const { spent, run } = state;
  const isKnown = run ? run.open === undefined : spent.costUsd > 0;
  return {
    usd: isKnown ? spent.costUsd : null,
    estimatedUsd: spent.estimatedUsd ?? 0,
    tokens: spent.tokens,
    sessions: run?.sessions ?? null,
    seconds: Math.round(elapsedMs(state, state.ending?.at ?? state.lastAt) / 1000),
  };
}

/** The receipt with what the loop has cost by now. */
export function withCost(receipt: Receipt, state: LoopState): Receipt {
  const { tokens, costUsd } = state.spent;
  return { ...receipt, effort: { ...receipt.effort, tokens, costUsd }, cost: costOf(state) };
}

function costWords({ usd, estimatedUsd, tokens, sessions, seconds }: ReceiptCost): string {
  const estimated = estimatedUsd > 0 ? ` (${estimatedUsd.toFixed(2)} of it estimated)` : '';
  const money = usd === null ? 'USD not known' : `${usd.toFixed(2)} USD${estimated}`;
  const over = sessions === null ? '' : `, ${sessions} ${sessions === 1 ? 'session' : 'sessions'}`;
  return `${money}, ${sayCount(tokens)} tokens${over}, ${seconds} s`;
}

export function receiptVerdict(verdict: Verdict, contract: Contract, traitsOf: TraitsOf): ReceiptVerdict {
  const { proof } = verdict;
  return {
    name: verdict.gate,
    verdict: verdict.outcome,
    gate: verdict.gate,
    kind: verdict.kind,
    class: verdict.class,
    outcome: verdict.outcome,
    summary: verdict.summary,
    command: commandOf(verdict, contract, traitsOf),
    exitCode: proof?.exitCode ?? null,
    outputSha256: proof?.outputSha256 ?? null,
    durationMs: proof?.durationMs ?? null,
    reused: verdict.reused ?? false,
    ...defined({ reusedFrom: verdict.reusedFrom }),
    ...defined({
      room: proof?.room,
      dependencies: proof?.dependencies,
      walls: proof?.walls,
      tests: proof?.tests,
    }),
    ...defined({ differential: differentialOf(proof), flaky: verdict.flaky }),
    ...defined({ notes: verdict.notes, exceptions: verdict.exceptions }),
    children: (verdict.children ?? []).map((child) => receiptVerdict(child, contract, traitsOf)),
  };
}

function commandOf({ gate, proof }: Verdict, contract: Contract, traitsOf: TraitsOf): string | null {
  const spec = contract.gates[gate];
  if (proof?.command === undefined) return null;
  const anywhere = spec && traitsOf(spec.kind).commandAnywhere?.(spec.options, proof.command);
  return redact(anywhere ?? proof.command, secretsOf(contract));
}

/** One line for each fact, such as `verdicts.0.summary` and its JSON value: a check can name what was changed. */
export function receiptLines(receipt: object): [string, string][] {
  return flatten('', receipt);
}

function flatten(path: string, value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[path, JSON.stringify(value) ?? 'null']];
  // What JSON leaves out is no fact.
  const facts = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const entries = facts.sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return [[path, Array.isArray(value) ? '[]' : '{}']];
  return entries.flatMap(([key, inner]) => flatten(path === '' ? key : `${path}.${key}`, inner));
}

/** What is not in the receipt itself. */
interface Known {
  /** Who else judged the same tree and signed that. */
  countersignedBy?: string;
}

export function renderReceipt(receipt: Receipt, format: 'text' | 'md', beside: Known = {}): string {
  return format === 'md' ? markdown(receipt, beside) : plain(receipt, beside);
}

/** The ladder of a receipt, of an older version, too: it is made from the verdicts alone. */
export function ladderIn({ verdicts, allowed }: Receipt, beside: Known = {}): Ladder {
  return ladderOf(verdicts, { allowed, ...beside });
}

function answerWords({ gate, said, note }: ReceiptAnswer): string {
  return `${said} by a person: ${gate}${note === undefined ? '' : ` (${note})`}`;
}

function questionLine({ text, said, answer }: ReceiptQuestion): string {
  switch (said) {
    case 'decided':
      return `assumption of the agent: ${text} ${answer ?? ''}`;
    case 'prompted':
      return `asked: ${text} answered by a person in the session`;
    case 'open':
      return `asked: ${text} never answered`;
    default:
      return `asked: ${text} answered by a person: ${answer ?? ''}`;
  }
}

function plain(receipt: Receipt, beside: Known): string {
  const { work, effort, contract } = receipt;
  return [
    `Receipt of loop ${receipt.loop}: ${receipt.status}`,
    `  ${receipt.statement}`,
    `  task      ${receipt.task.preview}`,
    `  commit    ${work.commit ?? 'none'}`,
    `  tree      ${work.tree ?? 'none'}`,
    `  contract  ${contract.sha256.slice(0, 16)}${drift(receipt)}`,
    `  effort    ${effort.iterations} iterations, ${effort.workingSeconds} s, ${sayCount(effort.tokens)} tokens`,
    ...(receipt.cost ? [`  cost      ${costWords(receipt.cost)}`] : []),
    ...receipt.verdicts.flatMap((v) => verdictText(v, '  ')),
    ...receipt.allowed.map((name) => `  allowed by hand: ${name}`),
    ...beforeStart(receipt).map((line) => `  ${line}`),
    ...(receipt.answers ?? []).map((given) => `  ${answerWords(given)}`),
    ...(receipt.questions ?? []).map((asked) => `  ${questionLine(asked)}`),
    '  rests on',
    ...ladderLines(ladderIn(receipt, beside)).map((line) => `    ${line}`),
  ]
    .map(visible)
    .join('\n');
}

function verdictText(verdict: ReceiptVerdict, indent: string): string[] {
  const { command, exitCode } = verdict;
  const how = [`exit ${exitCode ?? 'none'}`, ...circumstances(verdict)].join(', ');
  const run = command === null ? '' : `  [${command.replaceAll('\n', '; ')}: ${how}]`;
  return [
    `${indent}${verdict.outcome.padEnd(8)} ${verdict.gate} (${verdict.class}) ${verdict.summary}${run}`,
    ...verdict.children.flatMap((child) => verdictText(child, `${indent}  `)),
  ];
}

/** Where a command ran, behind what, and which tests it ran, where that is known. */
function circumstances({ room, dependencies, walls, tests }: ReceiptVerdict): string[] {
  return [
    ...(room === undefined ? [] : [`${room} room`]),
    ...(dependencies === undefined ? [] : ['dependencies as found']),
    ...(walls === undefined ? [] : [`walls: ${walls}`]),
    ...(tests ? [`tests: ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`] : []),
  ];
}

function drift({ contract }: Receipt): string {
  if (contract.fileAtStart === contract.fileNow) return '';
  return ' (untildone.yaml was changed since; the contract from the start was used)';
}

function beforeStart({ startedWith }: Receipt): string[] {
  const words = changedTestsBefore(startedWith);
  const names = startedWith?.changedTests.map(({ path }) => path).slice(0, NAMED_TESTS) ?? [];
  return words === undefined ? [] : [`${words}: ${names.join(', ')}`];
}

const NAMED_TESTS = 10;

function markdown(receipt: Receipt, beside: Known): string {
  const ladder = ladderIn(receipt, beside);
  return [
    `### ${receipt.status === 'verified_done' ? 'Verified' : 'Not verified'}: ${cell(receipt.task.preview)}`,
    '',
    `${receipt.statement}.`,
    '',
    '| gate | verdict | evidence | found | command |',
    '|---|---|---|---|---|',
    ...receipt.verdicts.flatMap((v) => rowsOf(v, '')),
    '',
    ...receipt.allowed.flatMap((name) => [`Allowed by hand: ${cell(name)}.`, '']),
    ...beforeStart(receipt).flatMap((line) => [`${cell(line)}.`, '']),
    ...(receipt.answers ?? []).flatMap((given) => [`${cell(answerWords(given))}.`, '']),
    ...(receipt.questions ?? []).flatMap((asked) => [`${cell(questionLine(asked))}.`, '']),
    `Rests on: ${cell(restsOn(ladder))}.`,
    '',
    ...ladder.rungs.map(
      ({ rung, reached, gates }) =>
        `- [${reached ? 'x' : ' '}] ${RUNG_WORDS[rung]}${gates.length === 0 ? '' : `: ${cell(gates.join(', '))}`}`,
    ),
    ...ladder.weak.map(({ text }) => `- weak: ${cell(text)}`),
    '',
    `Commit \`${receipt.work.commit ?? 'none'}\`, tree \`${receipt.work.tree ?? 'none'}\`, contract \`${receipt.contract.sha256.slice(0, 16)}\`${drift(receipt)}, ` +
      `${receipt.effort.iterations} iterations, loop ${receipt.loop}.`,
    ...(receipt.cost ? [`Cost: ${costWords(receipt.cost)}.`] : []),
  ]
    .map(visible)
    .join('\n');
}

function rowsOf(verdict: ReceiptVerdict, of: string): string[] {
  const { gate, outcome, summary, command, children } = verdict;
  const run = command === null ? '' : `\`${cell(command)}\``;
  const name = `${of}${cell(gate)}`;
  return [
    `| ${name} | ${outcome} | ${verdict.class} | ${cell(summary)} | ${run} |`,
    ...children.flatMap((child) => rowsOf(child, `${name} / `)),
  ];
}

function cell(text: string): string {
  return text.replace(/\|/g, '\\|').replace(/\s+/g, ' ').replace(/`/g, "'").replace(/</g, '&lt;');
}
