import { COMBINATIONS } from '../core/contract/gate-options.ts';
import { didYouMean } from '../core/text/did-you-mean.ts';
import { fieldsOf } from '../core/text/fields.ts';
import { kindsWith } from '../gates/traits.ts';
import type { ContractText, Finding, Path } from './document.ts';
import { CHUNKS_GATE } from './plan.ts';
import { checkPlan, plannedGates } from './plan-references.ts';
import { inWords, quoted, sentence, suggestion } from './problems.ts';

/** Mistakes that only the whole contract shows: names that are no gates, circles, gates in no list. */

const EXAMPLE = 'gates: { tests: { run: npm test } }';
const MOST_GATES = 200;
/** Judging visits every part of an `all` or `any`, also one that is named many times. */
const MOST_PARTS = 1000;

interface Reference {
  path: Path;
  name: string;
}

interface Names {
  gates: string[];
  /** The gates that phases, chunks and a preset make. */
  planned: string[];
  /** The parts of each `all` and `any`, by its name. */
  parts: Map<string, Reference[]>;
  /** The gates that come before each gate, by its name. */
  before: Map<string, Reference[]>;
  /** The names in all lists of gates. */
  guards: Reference[];
  /** The gates of known failures. */
  known: Reference[];
  doneIsGiven: boolean;
}

interface ReferenceFindings {
  problems: Finding[];
  warnings: Finding[];
}

/** Checks the data as it is written, so that these mistakes are reported together with those of the grammar. */
export function checkReferences(text: ContractText): ReferenceFindings {
  const names = namesIn(text.data);
  const all = [
    ...names.guards,
    ...names.known,
    ...[...names.parts.values(), ...names.before.values()].flat(),
  ];
  if (names.gates.length > MOST_GATES) {
    const message = `expected at most ${MOST_GATES} gates, found ${names.gates.length}`;
    return { problems: [{ ...text.at(['gates']), message, example: EXAMPLE }], warnings: [] };
  }
  const plan = checkPlan(text);
  const problems = [
    ...unknownNames(all, names, text),
    ...circles(names, text),
    ...waitingCircles(names, text),
    ...plan.problems,
    ...knownElsewhere(names, text),
  ];
  if (problems.length === 0) problems.push(...tooManyParts(names, text));
  return {
    problems,
    warnings: [...repeated(all, text), ...idle(names, text), ...plan.warnings, ...aboutTexts(text)],
  };
}

function namesIn(data: unknown): Names {
  const contract = fieldsOf(data);
  const gates = fieldsOf(contract.gates);
  const parts = new Map<string, Reference[]>();
  const before = new Map<string, Reference[]>();
  for (const [name, gate] of Object.entries(gates)) {
    const found = COMBINATIONS.flatMap((kind) => namesAt(fieldsOf(gate)[kind], ['gates', name, kind]));
    if (found.length > 0) parts.set(name, found);
    const waits = namesAt(fieldsOf(gate).after, ['gates', name, 'after']);
    if (waits.length > 0) before.set(name, waits);
  }
  const guards = [
    ...['done', 'every_stop', 'task_created', 'task_done', 'teammate', 'prompt'].flatMap((key) =>
      namesAt(contract[key], [key]),
    ),
    ...Object.entries(fieldsOf(contract.phases)).flatMap(([name, phase]) =>
      ['entry', 'exit'].flatMap((key) => namesAt(fieldsOf(phase)[key], ['phases', name, key])),
    ),
    ...Object.entries(fieldsOf(contract.subagent)).flatMap(([agent, list]) =>
      namesAt(list, ['subagent', agent]),
    ),
  ];
  const planned = plannedGates(contract).filter((name) => !(name in gates));
  const chunks = Object.entries(fieldsOf(contract.chunks)).flatMap(([name, chunk]) =>
    namesAt(fieldsOf(chunk).gates, ['chunks', name, 'gates']),
  );
  if (chunks.length > 0) parts.set(CHUNKS_GATE, chunks);
  const listed = Array.isArray(contract.known_failures) ? contract.known_failures : [];
  const known = listed.flatMap((each, i) => {
    const { gate } = fieldsOf(each);
    return typeof gate === 'string' ? [{ path: ['known_failures', i, 'gate'], name: gate }] : [];
  });
  const doneIsGiven = 'done' in contract;
  return { gates: Object.keys(gates), planned, parts, before, guards, known, doneIsGiven };
}

/** Names in a list, or in the `gates` of a long form. */
function namesAt(value: unknown, path: Path): Reference[] {
  if (!Array.isArray(value)) {
    const { gates } = fieldsOf(value);
    return Array.isArray(gates) ? namesAt(gates, [...path, 'gates']) : [];
  }
  return value.flatMap((name, i) => (typeof name === 'string' ? [{ path: [...path, i], name }] : []));
}

function unknownNames(references: Reference[], names: Names, text: ContractText): Finding[] {
  return references
    .filter(({ name }) => ![...names.gates, ...names.planned].includes(name))
    .slice(0, MOST_GATES)
    .map(({ path, name }) => {
      const list = path.slice(0, -1);
      const known = names.gates.length > 0 ? names.gates.join(', ') : 'none is defined';
      const meant = didYouMean(name, names.gates);
      return {
        ...text.at(path),
        message: sentence(`the name of a gate (${known})`, quoted(name), list) + suggestion(meant),
        example: exampleFor(list, meant ?? names.gates.find((gate) => gate !== list[1]) ?? 'tests'),
      };
    });
}

/** Only a command can be known to fail. */
function knownElsewhere({ known }: Names, text: ContractText): Finding[] {
  const gates = fieldsOf(fieldsOf(text.data).gates);
  return known
    .filter(({ name }) => Object.hasOwn(gates, name) && fieldsOf(gates[name]).run === undefined)
    .map(({ path, name }) => ({
      ...text.at(path),
      message: `expected the name of a gate that runs a command (run: ...), found ${quoted(name)}`,
      example: 'known_failures: [{ gate: tests }]',
    }));
}

function exampleFor(list: Path, name: string): string {
  const [root, gate, kind] = list.map(String);
  if (root === 'gates' && kind === 'after') return `${gate}: { run: npm test, after: [${name}] }`;
  if (root === 'gates') return `${gate}: { ${kind}: [${name}] }`;
  if (root === 'known_failures') return `known_failures: [{ gate: ${name} }]`;
  if (root === 'phases') return `${String(list.at(-1))}: [${name}]`;
  if (root === 'chunks') return `gates: [${name}]`;
  if (root === 'subagent') return `subagent: { "*": [${name}] }`;
  return `${root}: [${name}]`;
}

/** Reports each circle once, at the name that closes it. */
function circles(names: Names, text: ContractText): Finding[] {
  const findings: Finding[] = [];
  const done = new Set<string>();
  const walk = (gate: string, trail: readonly string[]) => {
    for (const { path, name } of names.parts.get(gate) ?? []) {
      const from = trail.indexOf(name);
      if (from >= 0) {
        const circle = [...trail.slice(from), name].join(' -> ');
        findings.push({
          ...text.at(path),
          message: `expected gates that do not lead back to themselves, found ${circle}`,
          example: 'ready: { all: [tests, lint] }',
        });
      } else if (!done.has(name)) walk(name, [...trail, name]);
    }
    done.add(gate);
  };
  for (const gate of names.parts.keys()) if (!done.has(gate)) walk(gate, [gate]);
  return findings;
}

/** Reports gates that wait for each other, at the name in `after` that closes the circle. */
function waitingCircles(names: Names, text: ContractText): Finding[] {
  const waits = new Map<string, Reference[]>();
  // What comes before an `all` or `any` comes before all of its parts.
  const inherit = (gate: string, above: readonly Reference[]) => {
    const known = waits.get(gate);
    const own = [...new Set([...(known ?? []), ...above, ...(names.before.get(gate) ?? [])])];
    if (known?.length === own.length) return;
    waits.set(gate, own);
    for (const { name } of names.parts.get(gate) ?? []) inherit(name, own);
  };
  if (names.before.size === 0 || circles(names, text).length > 0) return [];
  for (const gate of names.gates) inherit(gate, []);
  const findings = new Map<Path, Finding>();
  const done = new Set<string>();
  const walk = (gate: string, trail: readonly string[], last: Path | undefined) => {
    const next = [...(waits.get(gate) ?? []), ...(names.parts.get(gate) ?? [])];
    for (const { path, name } of next) {
      const closing = path.at(-2) === 'after' ? path : last;
      const from = trail.indexOf(name);
      if (from >= 0 && closing) {
        const circle = [...trail.slice(from), name].join(' -> ');
        findings.set(closing, {
          ...text.at(closing),
          message: `expected gates that do not wait for themselves, found ${circle}`,
          example: 'tests: { run: npm test, after: [lint] }',
        });
      } else if (from < 0 && !done.has(name)) walk(name, [...trail, name], closing);
    }
    done.add(gate);
  };
  for (const gate of waits.keys()) if (!done.has(gate)) walk(gate, [gate], undefined);
  return [...findings.values()];
}

function tooManyParts(names: Names, text: ContractText): Finding[] {
  const sizes = new Map<string, number>();
  const size = (gate: string): number => {
    const known = sizes.get(gate);
    if (known !== undefined) return known;
    const parts = names.parts.get(gate) ?? [];
    const total = parts.reduce((sum, { name }) => sum + size(name), 1);
    sizes.set(gate, total);
    return total;
  };
  const gate = names.gates.find((name) => size(name) > MOST_PARTS);
  if (gate === undefined) return [];
  const message = `expected at most ${MOST_PARTS} parts behind the gate ${quoted(gate)}, found more`;
  return [{ ...text.atKey(['gates'], gate), message, example: 'ready: { all: [tests, lint] }' }];
}

function repeated(references: Reference[], text: ContractText): Finding[] {
  const seen = new Set<string>();
  return references.flatMap(({ path, name }) => {
    const list = inWords(path.slice(0, -1));
    const key = `${list} ${name}`;
    if (seen.has(key)) return [{ ...text.at(path), message: `${quoted(name)} stands twice in ${list}` }];
    seen.add(key);
    return [];
  });
}

/** Warns of gates that no list leads to: they are never judged. */
function idle(names: Names, text: ContractText): Finding[] {
  if (names.gates.length === 0 && names.planned.length === 0) {
    const message = 'there are no gates: a loop of this contract rests on a promise alone';
    return [{ ...text.at([]), message, example: EXAMPLE }];
  }
  if (!names.doneIsGiven) return [];
  const reached = new Set<string>();
  const open = [...names.guards.map(({ name }) => name), ...names.planned];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    open.push(...(names.parts.get(name) ?? []).map((part) => part.name));
  }
  return names.gates
    .filter((name) => !reached.has(name))
    .map((name) => ({
      ...text.atKey(['gates'], name),
      message: `the gate ${quoted(name)} is in no list, so it is never judged`,
      example: `done: [${name}]`,
    }));
}

const WITHOUT_TEXT = ['done', 'every_stop', 'teammate'];
const WITH_TEXT = ['prompt', 'task_created', 'task_done'];
const TEXT_EXAMPLE = 'prompt: [no-secrets]';

/** Warns of gates that read a text, in lists where they always skip, or in no list at all. */
function aboutTexts(text: ContractText): Finding[] {
  const contract = fieldsOf(text.data);
  const readers = kindsWith('readsText');
  const texts = Object.entries(fieldsOf(contract.gates)).flatMap(([name, gate]) =>
    readers.some((kind) => kind in fieldsOf(gate)) ? [name] : [],
  );
  const misplaced = WITHOUT_TEXT.flatMap((key) =>
    listedNames(contract[key])
      .filter((name) => texts.includes(name))
      .map((name) => ({
        ...text.atKey([], key),
        message: `the gate ${quoted(name)} looks at prompts and tasks: in ${key} it has nothing to look at`,
        example: TEXT_EXAMPLE,
      })),
  );
  return [...misplaced, ...unlisted(texts, contract, text)];
}

/** Gates that read a text and are in no list. With a `done`, `idle` finds them. */
function unlisted(
  texts: readonly string[],
  contract: Record<string, unknown>,
  text: ContractText,
): Finding[] {
  if ('done' in contract) return [];
  const parts = Object.values(fieldsOf(contract.gates)).flatMap((gate) =>
    COMBINATIONS.flatMap((kind) => listedNames(fieldsOf(gate)[kind])),
  );
  const listed = [...WITH_TEXT, ...WITHOUT_TEXT].flatMap((key) => listedNames(contract[key]));
  return texts
    .filter((name) => ![...listed, ...parts].includes(name))
    .map((name) => ({
      ...text.atKey(['gates'], name),
      message: `the gate ${quoted(name)} looks at prompts and tasks, and no list of these names it: it is never judged`,
      example: `prompt: [${name}]`,
    }));
}

/** Names in a list, or in the `gates` of a long form. */
function listedNames(value: unknown): string[] {
  const list = Array.isArray(value) ? value : fieldsOf(value).gates;
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
}
