/** The script of the simulated model: its grammar, and the way from YAML or JSON text to plain data. */
import { type Document, isMap, isNode, LineCounter, type Node, parseDocument } from 'yaml';
import * as z from 'zod';

/** An object whose errors name its keys: a misspelt key must not pass in silence. */
function strict<Shape extends z.core.$ZodShape>(shape: Shape, what: string) {
  const keys = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? `one of the keys ${keys}` : what),
  });
}

const list = <Item extends z.core.$ZodType>(item: Item, what: string) => z.array(item, what);
const textOf = (what: string) => z.string(what);
const flag = z.boolean('true or false');
const milliseconds = z.int('a whole number of milliseconds').min(0, 'a number of milliseconds from 0 up');
const tokens = z.int('a whole number of tokens').min(0, 'a number of tokens from 0 up');
const headers = z.record(
  z.string(),
  z.union([z.string(), z.number()], 'a text or a number'),
  'header names with their values',
);

const usage = z.looseObject(
  {
    input_tokens: tokens.optional(),
    output_tokens: tokens.optional(),
    cache_creation_input_tokens: tokens.optional(),
    cache_read_input_tokens: tokens.optional(),
  },
  'token counts by name, such as input_tokens: 1000',
);

const toolCall = strict(
  {
    name: textOf('the name of a tool, such as Bash').min(1, 'the name of a tool, such as Bash'),
    input: z.record(z.string(), z.unknown(), 'the input of the tool, by field').optional(),
    /** Made up, and unique, when absent. */
    id: z
      .string('an id')
      .regex(/^[\w-]+$/, 'an id of letters, digits, "_" and "-"')
      .optional(),
  },
  'a tool call, such as { name: Bash, input: { command: ls } }',
);

const apiError = strict(
  {
    /** 500 when absent. */
    status: z
      .int('an HTTP status from 400 to 599')
      .min(400, 'an HTTP status from 400 to 599')
      .max(599, 'an HTTP status from 400 to 599')
      .optional(),
    /** What the API calls this status, when absent. */
    type: textOf('an error type, such as overloaded_error').optional(),
    message: textOf('the text of the error').optional(),
    headers: headers.optional(),
  },
  'an error, such as { status: 429 }',
);

const streamError = strict(
  {
    type: textOf('an error type, such as overloaded_error').optional(),
    message: textOf('the text of the error').optional(),
  },
  'an error in mid stream, such as { type: overloaded_error }',
);

/**
 * What one request gets. When several endings are given the first of `hang`, `drop`, `error` counts.
 * `{n}` stands for the number of the request, in texts and in the inputs of tools.
 */
const turn = strict(
  {
    /** An empty text is an answer without content. Absent, and no tools either: "turn {n}: done." */
    text: textOf('a text').optional(),
    thinking: textOf('a text').optional(),
    tools: list(toolCall, 'a list of tool calls').optional(),
    usage: usage.optional(),
    stop_reason: textOf('a stop reason, such as end_turn or max_tokens').optional(),
    /** An HTTP error instead of an answer. */
    error: apiError.optional(),
    /** The answer begins, and ends in an error event instead of its last two events. */
    streamError: streamError.optional(),
    /** Wait before the first byte. */
    delayMs: milliseconds.optional(),
    /** Wait between the pieces of a streamed text. */
    chunkMs: milliseconds.optional(),
    /** Destroy the connection instead of answering. */
    drop: flag.optional(),
    /** Never answer. */
    hang: flag.optional(),
    headers: headers.optional(),
    /** This turn serves so many requests. */
    repeat: z
      .int('how many requests this turn serves')
      .min(1, 'how many requests this turn serves, from 1 up')
      .optional(),
  },
  'a turn, such as { text: hello }',
);

const turns = list(turn, 'a list of turns');

const pattern = textOf('a regular expression').superRefine((source, context) => {
  try {
    new RegExp(source, 's');
  } catch (error) {
    const message = `a regular expression (${error instanceof Error ? error.message : error})`;
    context.addIssue({ code: 'custom', message });
  }
});

/** Every pattern that is given has to match. */
const when = strict(
  {
    /** The joined system prompt. */
    system: pattern.optional(),
    /** The first message, as JSON. */
    first: pattern.optional(),
    /** The last message, as JSON. */
    last: pattern.optional(),
    model: pattern.optional(),
    /** The whole body, as JSON. */
    any: pattern.optional(),
  },
  'patterns, such as { last: "tests failed" }',
);

const rule = strict(
  { when, turns: turns.min(1, 'a list of at least one turn') },
  'a rule, such as { when: { model: haiku }, turns: [{ text: hello }] }',
);

const script = strict(
  {
    /** Tried first, in order; each counts for itself and repeats its last turn. */
    rules: list(rule, 'a list of rules').optional(),
    /** The main conversation. */
    turns: turns.optional(),
    /** Once `turns` ran out. */
    after: turn.optional(),
    /** What `count_tokens` is answered; 100 when absent. */
    countTokens: tokens.optional(),
  },
  'a script, such as { turns: [{ text: hello }] }',
);

export type Script = z.infer<typeof script>;
export type Rule = z.infer<typeof rule>;
export type Turn = z.infer<typeof turn>;

export interface ScriptProblem {
  file: string;
  line: number;
  column: number;
  /** One sentence: where in the script, what was expected, what was found. */
  message: string;
}

export class SimulatorScriptError extends Error {
  override name = 'SimulatorScriptError';
  readonly problems: readonly ScriptProblem[];

  constructor(problems: readonly ScriptProblem[]) {
    super(problems.map((p) => `${p.file}:${p.line}:${p.column}: ${p.message}`).join('\n'));
    this.problems = problems;
  }
}

/** Reads a script from YAML or JSON text. `file` is only named in errors. Throws SimulatorScriptError. */
export function parseSimulatorScript(text: string, file: string): Script {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length > 0) {
    throw new SimulatorScriptError(
      document.errors.map((error) => {
        const { line, col } = lines.linePos(error.pos[0]);
        const [reason = ''] = error.message.split(' at line ');
        return { file, line, column: col, message: `expected YAML or JSON: ${reason}` };
      }),
    );
  }
  const data = plainData(document, file);
  const parsed = script.safeParse(data);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, document, data));
  throw new SimulatorScriptError(
    problems.map(({ offset, message }) => {
      const { line, col } = lines.linePos(offset);
      return { file, line, column: col, message };
    }),
  );
}

/** Resolves the document, which fails for aliases that are nested too deeply. */
function plainData(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SimulatorScriptError([
      { file, line: 1, column: 1, message: `expected YAML or JSON: ${reason}` },
    ]);
  }
}

type Path = readonly (string | number)[];

function problemsOf(issue: z.core.$ZodIssue, document: Document, data: unknown) {
  const path = issue.path.filter((part) => typeof part !== 'symbol');
  const place = path.length > 0 ? `${pathInWords(path)}: ` : '';
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      offset: offsetOfKey(document, path, key),
      message: `${place}unknown key "${key}", expected ${issue.message}`,
    }));
  }
  const found = inWords(valueAt(data, path));
  return [{ offset: offsetOf(document, path), message: `${place}expected ${issue.message}, found ${found}` }];
}

function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, part) => (value as Record<string | number, unknown> | undefined)?.[part],
    data,
  );
}

function pathInWords(path: Path): string {
  return path.map((part, i) => (typeof part === 'number' ? `[${part}]` : i > 0 ? `.${part}` : part)).join('');
}

function inWords(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a map';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : String(value);
}

/** Finds where a value stands; for a missing one, the nearest value around its place. */
function offsetOf(document: Document, path: Path): number {
  for (let depth = path.length; depth > 0; depth--) {
    const node: unknown = document.getIn(path.slice(0, depth), true);
    if (isNode(node)) return startOf(node);
  }
  return startOf(document.contents);
}

function offsetOfKey(document: Document, path: Path, key: string): number {
  const map: unknown = path.length > 0 ? document.getIn(path, true) : document.contents;
  if (!isMap(map)) return offsetOf(document, path);
  const pair = map.items.find((item) => isNode(item.key) && item.key.toJS(document) === key);
  return pair && isNode(pair.key) ? startOf(pair.key) : startOf(map);
}

function startOf(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}
