/** Makes the phases of a contract from the stages of command files. */
import { asksSomebody, type CommandFile, type Stage, stagesOf } from './command-stages.ts';

/** A phase as it is written in a contract. */
export interface WrittenPhase {
  do: string;
  exit?: string[];
  checkpoint?: string | true;
}

/** What becomes of a stage. */
export interface StageFate {
  stage: Stage;
  /** The phases that hold its text and its questions; empty: it was not imported. */
  becomes: string[];
  notes: string[];
}

export interface CommandImport {
  phases: Record<string, WrittenPhase>;
  /** In the order of the files. */
  fates: StageFate[];
  notes: string[];
}

/** What the contract has before the import. */
export interface KnownPlan {
  phases: Readonly<Record<string, unknown>>;
  gates: readonly string[];
  /** The gates that end the last stage when it asks nothing. */
  done: readonly string[];
}

/** A part of a stage that is not in a phase yet. */
interface Part {
  fate: StageFate;
  text: string;
}

/**
 * Makes a phase of everything up to a question. A phase has to end with gates or with a question, so a stage without
 * either joins the next phase. Only the last phase gets an end that no stage names.
 */
export function importCommands(files: readonly CommandFile[], known: KnownPlan): CommandImport {
  const read = files.map(stagesOf);
  const fates = read.flatMap(({ stages }) =>
    stages.map((stage): StageFate => ({ stage, becomes: [], notes: [] })),
  );
  const plan: CommandImport = { phases: {}, fates, notes: read.flatMap(({ notes }) => notes) };
  if (!fates.some(({ stage }) => asksSomebody(stage))) {
    for (const { notes } of fates) notes.push(NOTHING_ASKED);
    return plan;
  }
  let open: Part[] = [];
  for (const fate of fates) {
    const { pieces } = fate.stage;
    if (pieces.length === 0) fate.notes.push('there is nothing in it');
    for (const { text, asks } of pieces) {
      open.push({ fate, text });
      if (asks === undefined) continue;
      addPhase(plan, known, open, fate, { checkpoint: asks === '' ? true : asks });
      open = [];
    }
  }
  endLast(plan, known, open);
  return plan;
}

const NOTHING_ASKED =
  'nothing in these files asks you anything (<checkpoint>, STOP), so nothing ends a phase; write it by hand, with gates: phases: { build: { do: Write it, exit: [tests] } }';

function endLast(plan: CommandImport, known: KnownPlan, open: readonly Part[]): void {
  const last = open.at(-1)?.fate;
  if (!last) return;
  const exit = [...known.done];
  last.notes.push(
    exit.length > 0
      ? `it asks you nothing at its end, so it ends with the gates of the contract (${exit.join(', ')})`
      : 'nothing ends it, so you are asked; a gate is better: exit: [tests] instead of checkpoint',
  );
  addPhase(plan, known, open, last, exit.length > 0 ? { exit } : { checkpoint: true });
}

function addPhase(
  plan: CommandImport,
  known: KnownPlan,
  parts: readonly Part[],
  named: StageFate,
  end: Omit<WrittenPhase, 'do'>,
): void {
  const phase: WrittenPhase = { do: instructionFrom(parts), ...end };
  const name = nameFor(named, phase, plan, known);
  for (const { fate } of parts) {
    if (!fate.becomes.includes(name)) fate.becomes.push(name);
    if (fate !== named) fate.notes.push(mergedNote(fate, name));
  }
  const before = Object.hasOwn(known.phases, name) ? known.phases[name] : undefined;
  if (before === undefined) plan.phases[name] = phase;
  else if (JSON.stringify(before) === JSON.stringify(phase)) named.notes.push(`"${name}" is there already`);
  else {
    for (const { fate } of parts) fate.becomes = fate.becomes.filter((other) => other !== name);
    named.notes.push(`the contract has a phase "${name}" of its own, which stays as it is`);
  }
}

function mergedNote({ stage }: StageFate, name: string): string {
  return asksSomebody(stage)
    ? `what comes after its last question is part of "${name}"`
    : `nothing in it ends a phase: it is part of "${name}" (a phase of its own needs a gate: exit: [tests])`;
}

/** A name that no other phase has, and whose gate `<name>_approved` is not taken. */
function nameFor(named: StageFate, phase: WrittenPhase, plan: CommandImport, { gates }: KnownPlan): string {
  const base = asName(named.stage.title);
  const isTaken = (name: string) =>
    Object.hasOwn(plan.phases, name) || plan.fates.some(({ becomes }) => becomes.includes(name));
  const clashes = (name: string) => phase.checkpoint !== undefined && gates.includes(`${name}_approved`);
  let name = base;
  for (let number = 2; isTaken(name) || clashes(name); number++) name = `${base}-${number}`;
  if (clashes(base))
    named.notes.push(`called "${name}": the contract has a gate "${base}_approved" of its own`);
  return name;
}

const NAME_LIMIT = 40;

/** A name for a phase: small letters, digits and dashes. */
function asName(title: string): string {
  const name = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, NAME_LIMIT)
    .replace(/-+$/, '');
  return name === '' || name in {} ? 'stage' : name;
}

const INSTRUCTION_LIMIT = 800;

function instructionFrom(parts: readonly Part[]): string {
  const several = new Set(parts.map(({ fate }) => fate)).size > 1;
  const text = parts
    .map(({ fate: { stage }, text: own }) => {
      if (own === '') return stage.title;
      return several ? `${stage.title}:\n${own}` : own;
    })
    .join('\n\n')
    .replaceAll('$ARGUMENTS', 'the task');
  if (text.length <= INSTRUCTION_LIMIT) return text;
  const files = [...new Set(parts.map(({ fate }) => fate.stage.file))].join(', ');
  return `${shortened(text)}\n(This is the beginning; read all of it in ${files}.)`;
}

/** Cuts at the end of a line where that does not lose much, otherwise of a word. */
function shortened(text: string): string {
  const head = text.slice(0, INSTRUCTION_LIMIT);
  const line = head.lastIndexOf('\n');
  const word = head.lastIndexOf(' ');
  const end = line > INSTRUCTION_LIMIT / 2 ? line : word > INSTRUCTION_LIMIT / 2 ? word : INSTRUCTION_LIMIT;
  return head.slice(0, end).toWellFormed().trimEnd();
}
