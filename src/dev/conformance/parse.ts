import { ACTIONS, CHECKS, type Parts, type Pattern, STOP_GIVEN } from './parse-steps.ts';
import { type Action, FORMATS, type Format, type GivenLoop, type Only, type Scenario } from './scenario.ts';
import {
  contentOf,
  type FileSection,
  ScenarioError,
  type Statement,
  splitOptions,
  splitScript,
} from './script-lines.ts';

/** Parses a scenario. Throws `ScenarioError` with the line that is wrong: a scenario is never half understood. */
export function parseScenario(name: string, text: string): Scenario {
  const { statements, sections } = splitScript(text);
  const [title, ...rest] = statements;
  if (!title || title.indented) throw new ScenarioError(name, 1, 'the first line has to be the title');
  const scenario: Scenario = {
    name,
    title: title.text,
    formats: [],
    folder: 'project',
    gitRepository: false,
    files: [],
    steps: [],
  };
  for (const statement of rest) {
    try {
      addStatement(scenario, statement);
    } catch (error) {
      throw new ScenarioError(name, statement.line, (error as Error).message);
    }
  }
  for (const section of sections) addFile(scenario, section);
  if (scenario.formats.length === 0) throw new ScenarioError(name, 1, 'a line "applies to: ..." is missing');
  if (scenario.steps.length === 0) throw new ScenarioError(name, 1, 'nothing happens in it: no step');
  refuseUnfinishable(scenario);
  return scenario;
}

function addStatement(scenario: Scenario, statement: Statement): void {
  const { only, text } = conditionOf(statement.text);
  if (statement.indented) addAttached(scenario, { ...statement, text }, only);
  else if (!addHeader(scenario, text)) addStep(scenario, { ...statement, text }, only);
}

/** `[ralph-loop, lock] ...`: for these formats only; `[untildone] ...`: only for untildone's own hook. */
function conditionOf(text: string): { only: Only; text: string } {
  const match = /^\[([a-z, -]+)\] (.+)$/.exec(text);
  if (!match) return { only: { untildone: false }, text };
  const words = (match[1] ?? '').split(',').map((word) => word.trim());
  const formats = words.filter((word) => word !== 'untildone').map(asFormat);
  return {
    only: { untildone: words.includes('untildone'), formats: formats.length > 0 ? formats : undefined },
    text: match[2] ?? '',
  };
}

function asFormat(word: string): Format {
  const format = FORMATS.find((name) => name === word);
  if (!format) throw new Error(`"${word}" is no format: ${FORMATS.join(', ')}`);
  return format;
}

const LOOP =
  /^given a loop of (?<session>S\d)(?:, iteration (?<iteration>\d+) of (?<max>\d+))?(?:, (?:promise (?<promise>"(?:[^"\\]|\\.)*")|(?<none>no promise)))?(?:, task (?<task>"(?:[^"\\]|\\.)*"))?$/;

/** Reads a line about the sandbox before the first step. Returns false for any other line. */
function addHeader(scenario: Scenario, text: string): boolean {
  const formats = /^applies to: (.+)$/.exec(text)?.[1];
  const folder = /^project folder: (".+")$/.exec(text)?.[1];
  if (!formats && !folder && !text.startsWith('given ')) return false;
  if (scenario.steps.length > 0) throw new Error('what is given has to stand before the first step');
  if (formats) scenario.formats = formats.split(',').map((word) => asFormat(word.trim()));
  else if (folder) scenario.folder = JSON.parse(folder) as string;
  else if (text === 'given a git repository') scenario.gitRepository = true;
  else scenario.loop = loopFrom(text);
  return true;
}

function loopFrom(text: string): GivenLoop {
  const groups = LOOP.exec(text)?.groups;
  if (!groups)
    throw new Error(
      `"${text}" is not understood; it reads: given a loop of S1, iteration 1 of 5, promise "DONE", task "..."`,
    );
  return {
    session: groups.session ?? '',
    iteration: Number(groups.iteration ?? 1),
    maxIterations: Number(groups.max ?? 5),
    promise: groups.none ? undefined : (JSON.parse(groups.promise ?? '"DONE"') as string),
    task: JSON.parse(groups.task ?? '"Build the thing."') as string,
  };
}

function addStep(scenario: Scenario, statement: Statement, only: Only): void {
  const action = meaningOf(ACTIONS, statement);
  if (!action) throw new Error(`"${statement.text}" is no step`);
  scenario.steps.push({ line: statement.line, text: statement.text, only, action, expected: [] });
}

function addAttached(scenario: Scenario, statement: Statement, only: Only): void {
  const step = scenario.steps.at(-1);
  if (!step) throw new Error(`"${statement.text}" belongs to no step`);
  if (statement.text.startsWith('with ')) {
    step.action = unusual(step.action, { ...statement, text: statement.text.slice('with '.length) });
    return;
  }
  const check = meaningOf(CHECKS, statement);
  if (!check) throw new Error(`"${statement.text}" is no expectation`);
  const ofStop =
    check.kind === 'held' || check.kind === 'let-go' || ('where' in check && check.where === 'reason');
  if (ofStop && step.action.kind !== 'stop') throw new Error(`"${statement.text}" can only follow a stop`);
  step.expected.push({ line: statement.line, text: statement.text, only, check });
}

function unusual(action: Action, statement: Statement): Action {
  if (action.kind !== 'stop') throw new Error('only a stop can be "with" something');
  const change = meaningOf(STOP_GIVEN, statement);
  if (!change) throw new Error(`a stop cannot be "with ${statement.text}"`);
  return { ...action, given: change(action.given) };
}

function meaningOf<T>(patterns: Pattern<T>[], { text, block }: Statement): T | undefined {
  for (const [form, meaning] of patterns) {
    const groups = form.exec(text);
    if (groups) return meaning(partsOf(groups.groups ?? {}, text, block));
  }
  return undefined;
}

function partsOf(
  groups: Record<string, string | undefined>,
  text: string,
  block: string[] | undefined,
): Parts {
  const word = (name: string) => groups[name] ?? '';
  const lines = () => {
    if (!block) throw new Error('the lines that belong to it are missing: each begins with |');
    return block;
  };
  return {
    word,
    optional: (name) => groups[name],
    text: (name) => (word(name).startsWith('"') ? (JSON.parse(word(name)) as string) : word(name)),
    block: () => contentOf(lines(), optionsIn(text.replace(/:$/, '')).options),
    blockText: () => lines().join('\n'),
  };
}

function optionsIn(text: string) {
  const split = splitOptions(text);
  if (!split) throw new Error('an unknown option in the brackets: crlf, bom, escapes, hex, no final newline');
  return split;
}

/** Adds a file. Blank lines before the next section do not belong to it. */
function addFile(scenario: Scenario, { line, head, lines }: FileSection): void {
  try {
    const { only, text } = conditionOf(head);
    const { rest, options } = optionsIn(text);
    const path = rest.startsWith('"') ? (JSON.parse(rest) as string) : rest;
    scenario.files.push({ path, only, content: contentOf(withoutTrailingBlanks(lines), options) });
  } catch (error) {
    throw new ScenarioError(scenario.name, line, (error as Error).message);
  }
}

function withoutTrailingBlanks(lines: string[]): string[] {
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}

function refuseUnfinishable({ name, loop, steps, formats }: Scenario): void {
  for (const { action, line } of steps) {
    const needsLoop =
      (action.kind === 'stop' && action.says.kind === 'finished') || action.kind === 'restore';
    if (needsLoop && !loop) throw new ScenarioError(name, line, 'it needs a "given a loop of ..."');
    const unspoken = needsLoop && action.kind === 'stop' && loop?.promise === undefined;
    if (unspoken && formats.includes('ralph-loop'))
      throw new ScenarioError(name, line, 'a loop without a promise cannot be finished by a word');
  }
}
