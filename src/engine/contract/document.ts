/** Reads YAML text into plain data that knows the line and column of each value. */
import {
  CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';

export type Path = readonly PropertyKey[];

export interface Finding {
  line: number;
  column: number;
  message: string;
  example?: string;
}

export interface ContractText {
  data: unknown;
  /** The place of a value. For a missing value, the place of the nearest value around it. */
  at(path: Path): { line: number; column: number };
  atKey(parent: Path, key: string): { line: number; column: number };
}

export type ReadText = { ok: true; text: ContractText } | { ok: false; findings: Finding[] };

const LARGEST = 1024 * 1024;
const MOST_LEXEMES = 100_000;
const DEEPEST = 32;
const MOST_ALIASES = 100;
const EXAMPLE = 'gates: { tests: { run: npm test } }';

/** Reads the text of a contract. Never throws. */
export function readText(text: string): ReadText {
  const size = sizeProblem(text);
  if (size !== undefined) return refused({ line: 1, column: 1, message: size, example: EXAMPLE });
  const lines = new LineCounter();
  // The library compares every key with every other. keyProblem finds doubled keys in one pass.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    schema: 'core',
    resolveKnownTags: false,
    logLevel: 'error',
  });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: Math.max(1, col - (line === 1 && text.startsWith('\uFEFF') ? 1 : 0)) };
  };
  const [error] = [...document.errors, ...document.warnings];
  if (error) return refused({ ...at(error.pos[0]), ...syntaxWords(error) });
  const problems = nodeProblems(document);
  if (problems.length > 0) {
    return { ok: false, findings: problems.map(({ offset, ...words }) => ({ ...at(offset), ...words })) };
  }
  return located(document, at);
}

function refused(finding: Finding): ReadText {
  return { ok: false, findings: [finding] };
}

/** Refuses huge and deeply nested texts: they could exhaust the stack of the parser, which cannot always be caught. */
function sizeProblem(text: string): string | undefined {
  if (Buffer.byteLength(text) > LARGEST) return 'expected a contract of at most 1 MiB, found a larger file';
  let lexemes = 0;
  for (const _ of new Lexer().lex(text)) {
    if (++lexemes > MOST_LEXEMES) return 'expected a contract, found far more entries than one can have';
  }
  for (const token of new Parser().parse(text)) {
    if (nestedTooDeep(token))
      return `expected at most ${DEEPEST} levels of lists and maps, found deeper nesting`;
  }
  return undefined;
}

function nestedTooDeep(document: CST.Token): boolean {
  const open = [{ token: document, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { token, depth } = next;
    if (depth > DEEPEST) return true;
    const inner = token.type === 'document' ? depth : depth + 1;
    open.push(...tokensIn(token).map((part) => ({ token: part, depth: inner })));
  }
  return false;
}

function tokensIn(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value ? [token.value] : [];
  if (!CST.isCollection(token)) return [];
  return token.items.flatMap(({ key, value }) => [...(key ? [key] : []), ...(value ? [value] : [])]);
}

function syntaxWords({ code, message }: YAMLError): { message: string; example: string } {
  switch (code) {
    case 'TAB_AS_INDENT':
      return { message: 'expected spaces for the indentation, found a tab', example: EXAMPLE };
    case 'MULTIPLE_DOCS':
      return { message: 'expected one YAML document, found the beginning of a second', example: EXAMPLE };
    case 'BLOCK_AS_IMPLICIT_KEY':
      return {
        message: 'expected quotes around a text that contains ": "',
        example: 'tests: { run: "echo result: ok" }',
      };
    case 'BAD_SCALAR_START':
      return {
        message: `expected quotes around this text (${message})`,
        example: 'tests: { run: "@scope/tool check" }',
      };
    case 'TAG_RESOLVE_FAILED':
      return { message: 'expected plain YAML without tags', example: EXAMPLE };
    default:
      return { message: `expected YAML (${message})`, example: EXAMPLE };
  }
}

interface NodeProblem {
  offset: number;
  message: string;
  example: string;
}

/** Problems that plain data does not show: doubled keys, keys that are no text, aliases that lead nowhere. */
function nodeProblems(document: Document): NodeProblem[] {
  const problems: NodeProblem[] = [];
  const note = (node: Node, message: string) =>
    void problems.push({ offset: startOf(node), message, example: EXAMPLE });
  let aliases = 0;
  visit(document, {
    Map: (_, map) => {
      const seen = new Set<string>();
      for (const { key } of map.items as Pair[]) {
        const problem = keyProblem(key, seen);
        if (problem) note(isNode(key) ? key : map, problem);
      }
    },
    Alias: (_, alias, ancestors) => {
      if (++aliases > MOST_ALIASES) {
        note(alias, `expected at most ${MOST_ALIASES} aliases, found more`);
        return visit.BREAK;
      }
      const target = alias.resolve(document);
      if (!target) note(alias, `expected an alias of an anchor above, found *${alias.source}`);
      else if (ancestors.includes(target)) note(alias, 'expected an alias of another value, found itself');
      return undefined;
    },
  });
  return problems;
}

function keyProblem(key: unknown, seen: Set<string>): string | undefined {
  if (!isScalar(key) || key.value === null) return 'expected a text as a key, found something else';
  const name = String(key.value);
  if (name === '__proto__') return 'expected another key, found __proto__';
  if (seen.has(name)) return `expected each key once, found ${JSON.stringify(name)} a second time`;
  seen.add(name);
  return undefined;
}

function located(document: Document, at: (offset: number) => { line: number; column: number }): ReadText {
  let data: unknown;
  try {
    data = document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch {
    // The library refuses aliases of aliases that would grow too large.
    const message = 'expected fewer aliases, found aliases of aliases that grow too large';
    return refused({ ...at(firstAlias(document)), message, example: EXAMPLE });
  }
  return {
    ok: true,
    text: {
      data,
      at: (path) => at(offsetOf(document, path)),
      atKey: (parent, key) => at(offsetOfKey(document, parent, key)),
    },
  };
}

function firstAlias(document: Document): number {
  let offset = 0;
  visit(document, {
    Alias: (_, alias) => {
      offset = startOf(alias);
      return visit.BREAK;
    },
  });
  return offset;
}

function offsetOf(document: Document, path: Path): number {
  const trail = nodesAlong(document, path);
  return startOf(trail.at(-1) ?? document.contents);
}

function offsetOfKey(document: Document, parent: Path, key: string): number {
  const trail = nodesAlong(document, parent);
  const map = resolved(document, trail.at(-1));
  const pair = trail.length === parent.length + 1 ? pairOf(map, key) : undefined;
  return startOf(pair && isNode(pair.key) ? pair.key : (trail.at(-1) ?? null));
}

/** The nodes from the root down the path, as far as it leads. */
function nodesAlong(document: Document, path: Path): Node[] {
  if (!isNode(document.contents)) return [];
  const trail: Node[] = [document.contents];
  for (const part of path) {
    const parent = resolved(document, trail.at(-1));
    const child = isSeq(parent) ? parent.items[Number(part)] : pairOf(parent, String(part))?.value;
    if (!isNode(child)) break;
    trail.push(child);
  }
  return trail;
}

function resolved(document: Document, node: Node | undefined): Node | undefined {
  return isAlias(node) ? node.resolve(document) : node;
}

function pairOf(map: Node | undefined, key: string): Pair | undefined {
  if (!isMap(map)) return undefined;
  return (map.items as Pair[]).find((pair) => isScalar(pair.key) && String(pair.key.value) === key);
}

function startOf(node: Node | null | undefined): number {
  return node?.range?.[0] ?? 0;
}
