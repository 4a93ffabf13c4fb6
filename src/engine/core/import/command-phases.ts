/** Makes phases of a contract from command files: a phase ends where a file asks you something. */
import { oneLine } from '../text/clip.ts';
import { type CommandFile, itemsOf, QUESTION_LIMIT } from './command-lines.ts';

/** A phase as it is written in a contract. */
export interface WrittenPhase {
  do: string;
  exit?: string[];
  checkpoint?: string | true;
}

export interface CommandImport {
  /** What the files become, in their order, those that the contract has included. */
  planned: { name: string; stages: Stage[]; notes: string[] }[];
  phases: Record<string, WrittenPhase>;
  notes: string[];
}

/** What the contract has before the import. */
export interface KnownPlan {
  phases: Readonly<Record<string, unknown>>;
  gates: readonly string[];
  /** The gates that end the last stage when it asks nothing. */
  done: readonly string[];
}

interface Stage {
  file: string;
  line: number;
  title: string;
}

/** A stage, or what is left of it after a question. */
interface Part {
  stage: Stage;
  lines: string[];
}

interface Draft {
  parts: Part[];
  /** Absent: nothing asks you at its end. */
  asks?: string;
}

/** Makes a phase of everything up to a question. Only the last phase gets an end that no file names. */
export function importCommands(files: readonly CommandFile[], known: KnownPlan): CommandImport {
  const plan: CommandImport = { planned: [], phases: {}, notes: [] };
  const drafts = files.reduce<Draft[]>((before, file) => draftsAfter(before, file, plan.notes), []);
  if (!drafts.some(({ asks }) => asks !== undefined)) {
    plan.notes.push(NOTHING_ASKED);
    return plan;
  }
  for (const { parts, asks } of drafts) {
    const { done } = known;
    if (asks !== undefined) addPhase(plan, known, parts, { checkpoint: asks === '' ? true : asks });
    else if (done.length > 0) addPhase(plan, known, parts, { exit: [...done] }, endsWith(done));
    else addPhase(plan, known, parts, { checkpoint: true }, NOTHING_ENDS);
  }
  return plan;
}

/** Whether a file asks you anything. */
export function asksYou(file: CommandFile): boolean {
  return draftsAfter([], file, []).some(({ asks }) => asks !== undefined);
}

const NOTHING_ASKED =
  'nothing in these files asks you anything (<checkpoint>, STOP), so nothing ends a phase; write it by hand, with gates: phases: { build: { do: Write it, exit: [tests] } }';
const NOTHING_ENDS =
  'nothing ends it, so you are asked; a gate is better: exit: [tests] instead of checkpoint';

function endsWith(done: readonly string[]): string {
  return `it asks you nothing at its end, so it ends with the gates of the contract (${done.join(', ')})`;
}

/** The drafts with those of one more file. A stage that asks nothing goes on into the next one that does. */
function draftsAfter(before: readonly Draft[], file: CommandFile, notes: string[]): Draft[] {
  const drafts = [...before];
  const note = (line: number, what: string) => void notes.push(`${file.name}:${line}: ${what}`);
  const items = itemsOf(file.text, note);
  const levels = items.flatMap((item) =>
    item.kind === 'heading' && item.stage !== undefined ? [item.level] : [],
  );
  // Stages are the headings of the highest level that has one; without any the whole file is one.
  const level = levels.length === 0 ? 0 : Math.min(...levels);
  let stage: Stage | undefined;
  const begin = (line: number, title: string) => {
    stage = { file: file.name, line, title };
    openDraft(drafts).parts.push({ stage, lines: [] });
  };
  if (level === 0) begin(1, titleOfFile(file.name));
  for (const item of items) {
    if (item.kind === 'heading' && item.level <= level) {
      stage = undefined;
      if (item.level === level && item.stage !== undefined) begin(item.line, item.stage);
    } else if (item.kind === 'asks' && !stage)
      note(item.line, `left out, because it is in no stage: ${item.text === '' ? 'STOP' : item.text}`);
    else if (item.kind === 'asks') ask(drafts, item.text);
    else if (stage)
      addText(drafts, stage, item.kind === 'heading' ? `${'#'.repeat(item.level)} ${item.text}` : item.text);
  }
  return drafts;
}

/** The draft that goes on: a new one when the last one has ended with a question. */
function openDraft(drafts: Draft[]): Draft {
  const last = drafts.at(-1);
  if (last && last.asks === undefined) return last;
  const next: Draft = { parts: [] };
  drafts.push(next);
  return next;
}

function ask(drafts: Draft[], question: string): void {
  const last = drafts.at(-1);
  // Two questions without work in between become one.
  if (last?.asks === undefined) openDraft(drafts).asks = question;
  else if (!last.asks.includes(question)) last.asks = oneLine(`${last.asks} ${question}`, QUESTION_LIMIT);
}

function addText(drafts: Draft[], stage: Stage, line: string): void {
  const isRule = /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/.test(line);
  if (isRule || (line.trim() === '' && drafts.at(-1)?.asks !== undefined)) return;
  const { parts } = openDraft(drafts);
  const last = parts.at(-1);
  if (last?.stage === stage) last.lines.push(line.trimEnd());
  else parts.push({ stage, lines: [line.trimEnd()] });
}

function addPhase(
  plan: CommandImport,
  known: KnownPlan,
  parts: readonly Part[],
  end: Omit<WrittenPhase, 'do'>,
  ...notes: string[]
): void {
  const title = parts.at(-1)?.stage.title ?? '';
  const phase: WrittenPhase = { do: instructionFrom(parts), ...end };
  const isFree = (name: string) =>
    !plan.planned.some((other) => other.name === name) &&
    !(end.checkpoint !== undefined && known.gates.includes(`${name}_approved`));
  let name = asName(title);
  for (let number = 2; !isFree(name); number++) name = `${asName(title)}-${number}`;
  const before = Object.hasOwn(known.phases, name) ? known.phases[name] : undefined;
  if (before === undefined) plan.phases[name] = phase;
  else if (JSON.stringify(before) === JSON.stringify(phase)) notes.push('it is there already');
  else notes.push(`left out: the contract has a phase "${name}" of its own, which stays as it is`);
  plan.planned.push({ name, stages: parts.map(({ stage }) => stage), notes });
}

/** A name for a phase: small letters, digits and dashes. */
function asName(title: string): string {
  const name = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return name === '' || name in {} ? 'stage' : name;
}

const INSTRUCTION_LIMIT = 800;

function instructionFrom(parts: readonly Part[]): string {
  const several = parts.length > 1;
  const text = parts
    .map(({ stage: { title }, lines }) => {
      const own = lines
        .join('\n')
        .replace(/\n{3,}/g, '\n\n')
        .trim();
      if (own === '') return title;
      return several ? `${title}:\n${own}` : own;
    })
    .join('\n\n')
    .replaceAll('$ARGUMENTS', 'the task');
  if (text.length <= INSTRUCTION_LIMIT) return text;
  const files = [...new Set(parts.map(({ stage }) => stage.file))].join(', ');
  const head = text.slice(0, INSTRUCTION_LIMIT);
  const end = Math.max(head.lastIndexOf('\n'), INSTRUCTION_LIMIT / 2);
  return `${head.slice(0, end).toWellFormed().trimEnd()}\n(This is the beginning; read all of it in ${files}.)`;
}

/** `commands/plan.md` is "plan", `agents/planner/AGENT.md` is "planner". */
function titleOfFile(file: string): string {
  const [last = '', folder] = file.split(/[/\\]/).reverse();
  const name = last.replace(/\.[^.]*$/, '');
  return /^(?:agent|skill|readme|index)$/i.test(name) && folder ? folder : name;
}
