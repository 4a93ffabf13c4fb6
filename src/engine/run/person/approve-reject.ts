import type { Contract } from '../../core/contract/contract.ts';
import { openQuestions } from '../../core/loop/asked.ts';
import { askedNames } from '../../core/loop/phases.ts';
import { callsFor, type GateCall } from '../../core/loop/plan-gates.ts';
import { approvedText } from '../../core/loop/questions.ts';
import { type AskedQuestion, hasEnded, type LoopState } from '../../core/loop/state.ts';
import { oneLine } from '../../core/text/clip.ts';
import { UsageError } from '../../core/text/errors.ts';
import { redact } from '../../core/text/redact.ts';
import { describeEnding } from '../../core/words/endings.ts';
import { traitsOf } from '../../gates/traits.ts';
import type { FileStore } from '../../home/store.ts';
import type { ProjectPorts } from '../../hook/wiring/project-ports.ts';
import type { LoopRef } from '../../ports/ports.ts';
import { answerAgent } from './answer.ts';
import { loopsAround, meantLoop, readLoops } from './find-loop.ts';
import { howItGoesOn } from './how-it-goes-on.ts';

const NOTE_LIMIT = 2000;

export interface Answer {
  said: 'approved' | 'rejected';
  /** The gate that asks, or the phase that it ends. Absent: the question that the loop waits for. */
  name: string | undefined;
  note: string | undefined;
}

/** Finds the loop that you answer: by its id, else the one that waits for an answer, else the only active one. */
export function askingLoop(store: FileStore, project: string, id: string | undefined): LoopRef {
  if (id !== undefined) return meantLoop(store, project, id);
  const asking = readLoops(store, loopsAround(store, project)).filter(
    (f) => 'state' in f && f.state.status === 'active' && f.state.waiting?.why === 'approval',
  );
  const [only, second] = asking;
  if (second) {
    const ids = asking.map(({ ref }) => ref.loop).join(', ');
    throw new UsageError(`${asking.length} loops wait for an answer; name one with --loop: ${ids}`);
  }
  return only?.ref ?? meantLoop(store, project, undefined);
}

/** Writes your answer to the journal, where the loop, or the run that drives it, finds it. */
export async function answerQuestion(
  { said, name, note }: Answer,
  ref: LoopRef,
  world: ProjectPorts,
  out: (line: string) => void,
): Promise<void> {
  const { store } = world;
  const state = store.read(ref);
  if (hasEnded(state)) throw new UsageError(`loop ${ref.loop} has ended already: ${describeEnding(state)}`);
  const { contract, frozen } = store.contract(ref);
  const asked = agentsQuestion(name, contract, state);
  if (asked) {
    const text = `${said === 'approved' ? 'yes' : 'no'}${note ? `: ${note}` : ''}`;
    for (const line of answerAgent(ref, asked, { text }, store)) out(line);
    return;
  }
  const gate = questionMeant(name, contract, state);
  const digest = gate.isAboutFindings
    ? findingsOf(gate.name, state)
    : await digestOfFile(gate.file, frozen.project, contract, world);
  const entry = {
    kind: 'answered' as const,
    gate: gate.name,
    said,
    note: note ? oneLine(redact(note), NOTE_LIMIT) : undefined,
    digest,
  };
  const after = store.append(ref, () => entry);
  const where = frozen.project === world.project ? '' : ` in ${frozen.project}`;
  out(`Loop ${ref.loop}: ${gate.name} is ${said}${gate.file ? ` (${gate.file} as it is now${where})` : ''}.`);
  out(howItGoesOn(ref, after, store));
}

/** The question of the agent that a yes or a no is for: the one of this name, else the only one that is open. */
function agentsQuestion(
  name: string | undefined,
  contract: Contract,
  state: LoopState,
): AskedQuestion | undefined {
  const open = openQuestions(state);
  if (name !== undefined)
    return open.find((question) => question.name === name || question.name === `question ${name}`);
  const [only] = open;
  if (!only) return undefined;
  // While the agent asks, a gate may wait for its turn: a yes without a name must not be for both.
  const names = [...open, ...gatesThatAsk(contract, state)].map((question) => question.name);
  if (names.length === 1) return only;
  throw new UsageError(`loop ${state.loop} waits for several answers; name one of: ${names.join(', ')}`);
}

/** The questions of gates that wait for your answer now. */
export function gatesThatAsk(contract: Contract, state: LoopState): Question[] {
  const known = questionsOf(callsFor(Object.keys(contract.gates), contract));
  return known.length === 0 ? [] : gatesAsking(contract, state, known);
}

interface Question {
  name: string;
  file?: string;
  /** The answer is about what the gate found at the last Stop. */
  isAboutFindings?: true;
}

function questionsOf(calls: readonly GateCall[], notIn: ReadonlySet<string> = new Set()): Question[] {
  return calls
    .filter(({ name }) => !notIn.has(name))
    .flatMap(({ name, spec, children }): Question[] => {
      if (spec.kind === 'approve') return [{ name, ...spec.options }];
      if (traitsOf(spec.kind).mayAsk) return [{ name, isAboutFindings: true }];
      return questionsOf(children ?? [], notIn);
    });
}

function questionMeant(name: string | undefined, contract: Contract, state: LoopState): Question {
  const all = questionsOf(callsFor(Object.keys(contract.gates), contract));
  const known = [...new Map(all.map((question) => [question.name, question])).values()];
  const names = known.map((question) => question.name).join(', ');
  if (known.length === 0)
    throw new UsageError(
      'the contract of this loop asks you nothing: it has no gate of the kind approve and no checkpoint',
    );
  if (name !== undefined) {
    const meant = known.find((q) => q.name === name) ?? endOfPhase(name, contract, known);
    if (meant) return meant;
    throw new UsageError(`no question has the name "${name}"; there are: ${names}`);
  }
  // Without a name only a question that was asked is answered, never one that is still to come.
  const open = isAsked(contract, state) ? gatesAsking(contract, state, known) : [];
  const [only, second] = open;
  if (only && !second) return only;
  if (!only)
    throw new UsageError(
      `loop ${state.loop} waits for no answer now; to answer ahead, name the question: ${names}`,
    );
  throw new UsageError(
    `loop ${state.loop} waits for several answers; name one of: ${open.map((question) => question.name).join(', ')}`,
  );
}

/** Whether a question was asked. A paused loop does not say so: it was, when only questions were open at its last Stop. */
function isAsked(contract: Contract, { waiting, status, gates }: LoopState): boolean {
  const asks = (name: string) => questionsOf(callsFor([name], contract)).length > 0;
  if (status !== 'paused') return waiting?.why === 'approval';
  return gates.every(({ name, verdict }) => verdict === 'pass' || verdict === 'skip' || asks(name));
}

function endOfPhase(
  name: string,
  { phases = [] }: Contract,
  known: readonly Question[],
): Question | undefined {
  const exit = phases.find((phase) => phase.name === name)?.exit ?? [];
  const ends = known.filter((question) => exit.includes(question.name));
  return ends.length === 1 ? ends[0] : undefined;
}

/** Finds the questions that the loop waits for. */
function gatesAsking(contract: Contract, state: LoopState, known: readonly Question[]): Question[] {
  const asked = [...askedNames(contract, state), ...(contract.everyStop?.gates ?? [])];
  const chunks = state.gates.flatMap(({ parts = [] }) => parts);
  const later = new Set(chunks.filter(({ verdict }) => verdict === 'skip').map(({ name }) => name));
  const due = new Set(questionsOf(callsFor(asked, contract), later).map((q) => q.name));
  const { answers = {} } = state;
  // A question inside another gate has no verdict of its own: only its answer is known.
  const isApproved = (name: string) => Object.hasOwn(answers, name) && answers[name]?.said === 'approved';
  const passes = (name: string) => {
    const line = state.gates.find((each) => each.name === name);
    return line ? line.verdict === 'pass' : isApproved(name);
  };
  // A gate that may ask has asked only if it fails.
  const fails = (name: string) => state.gates.every((each) => each.name !== name || each.verdict === 'fail');
  return known.filter(
    ({ name, isAboutFindings }) => due.has(name) && !passes(name) && (!isAboutFindings || fails(name)),
  );
}

/** What the gate found at the last Stop, as one word. An answer is for exactly that. */
function findingsOf(name: string, { gates }: LoopState): string {
  const line = gates.find((each) => each.name === name);
  if (line?.verdict !== 'fail' || line.fingerprint === undefined)
    throw new UsageError(
      `${name} has found nothing that you could answer; untildone status shows what is open`,
    );
  return line.fingerprint;
}

async function digestOfFile(
  file: string | undefined,
  project: string,
  contract: Contract,
  world: ProjectPorts,
): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const judges = await world.judges(contract);
  const text = await judges.workspace(project).read(file);
  if (text === undefined || text.trim() === '')
    throw new UsageError(`${file} does not exist yet, so there is nothing to answer`);
  return judges.digest(approvedText(text));
}
