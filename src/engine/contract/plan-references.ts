/** Mistakes that only the whole plan shows: chunks that wait for themselves, taken names, presets without a gate they need. */

import { PRESETS } from '../core/contract/contract.ts';
import { namesOfPreset, OWN_CONDITIONS } from '../core/contract/presets.ts';
import { didYouMean } from '../core/text/did-you-mean.ts';
import { fieldsOf } from '../core/text/fields.ts';
import { kindsWith } from '../gates/traits.ts';
import type { ContractText, Finding, Path } from './document.ts';
import { approvalOf, CHUNKS_GATE } from './plan.ts';
import { quoted, sentence, suggestion } from './problems.ts';

type Data = Record<string, unknown>;

/** The gates that a contract has without naming them under `gates`. */
export function plannedGates(contract: Data): string[] {
  const phases = Object.entries(fieldsOf(contract.phases));
  return [
    ...(contract.chunks === undefined ? [] : [CHUNKS_GATE]),
    ...phases.flatMap(([name, phase]) =>
      fieldsOf(phase).checkpoint === undefined ? [] : [approvalOf(name)],
    ),
    ...(isPreset(contract.preset) ? namesOfPreset() : []),
  ];
}

function isPreset(value: unknown): value is (typeof PRESETS)[number] {
  return PRESETS.some((name) => name === value);
}

export function checkPlan(text: ContractText): { problems: Finding[]; warnings: Finding[] } {
  const contract = fieldsOf(text.data);
  const gates = Object.keys(fieldsOf(contract.gates));
  const large = tooLarge(contract, text);
  if (large.length > 0) return { problems: large, warnings: [] };
  const problems = [...presetProblems(contract, gates, text), ...takenNames(contract, gates, text)];
  return {
    problems: [...problems, ...chunkProblems(contract, text)],
    warnings: [...unused(contract, text), ...unasked(contract, text)],
  };
}

const MOST = 100;

/** Limits phases and chunks: every journal line names all chunks, and one Stop may go through all phases. */
function tooLarge(contract: Data, text: ContractText): Finding[] {
  return ['phases', 'chunks'].flatMap((key) => {
    const count = Object.keys(fieldsOf(contract[key])).length;
    if (count <= MOST) return [];
    const example =
      key === 'phases'
        ? 'phases: { build: { exit: [tests] } }'
        : 'chunks: { model: { do: Write it, gates: [tests] } }';
    return [{ ...text.atKey([], key), message: `expected at most ${MOST} ${key}, found ${count}`, example }];
  });
}

function presetProblems(contract: Data, gates: readonly string[], text: ContractText): Finding[] {
  if (!isPreset(contract.preset)) return [];
  if (contract.phases !== undefined) {
    const message = 'expected either preset or phases, found both: the preset brings its own phases';
    return [{ ...text.atKey([], 'phases'), message, example: 'preset: verified-done' }];
  }
  return Object.entries(OWN_CONDITIONS)
    .filter(([name]) => !gates.includes(name))
    .map(([name, example]) => ({
      ...text.at(['preset']),
      message: `expected a gate named ${quoted(name)} for the preset ${contract.preset}, found none`,
      example: `gates: { ${name}: ${example} }`,
    }));
}

/** Names of your gates that the plan makes itself, and names of chunks that a gate has. */
function takenNames(contract: Data, gates: readonly string[], text: ContractText): Finding[] {
  const made = plannedGates({ ...contract, preset: undefined });
  const doubled = gates
    .filter((name) => made.includes(name))
    .map((name) => ({
      ...text.atKey(['gates'], name),
      message: `expected a name that is not taken, found ${quoted(name)}, a gate that the contract makes itself`,
      example: 'gates: { tests: { run: npm test } }',
    }));
  const chunks = Object.keys(fieldsOf(contract.chunks))
    .filter((name) => gates.includes(name) || plannedGates(contract).includes(name))
    .map((name) => ({
      ...text.atKey(['chunks'], name),
      message: `expected a name that no gate has, found ${quoted(name)}`,
      example: `chunks: { ${name}-chunk: { do: Write it, gates: [${gates.includes(name) ? name : 'tests'}] } }`,
    }));
  return [...doubled, ...chunks];
}

function chunkProblems(contract: Data, text: ContractText): Finding[] {
  const chunks = fieldsOf(contract.chunks);
  const names = Object.keys(chunks);
  const after = new Map(names.map((name, i) => [name, afterOf(chunks[name], names[i - 1])]));
  const unknown = names.flatMap((name) =>
    (after.get(name) ?? []).flatMap((other, i) =>
      names.includes(other) ? [] : [unknownChunk(['chunks', name, 'after', i], other, names, text)],
    ),
  );
  return unknown.length > 0 ? unknown : circles(names, after, text);
}

function afterOf(chunk: unknown, before: string | undefined): string[] {
  const { after } = fieldsOf(chunk);
  if (Array.isArray(after)) return after.filter((name) => typeof name === 'string');
  return before === undefined ? [] : [before];
}

function unknownChunk(path: Path, name: string, names: readonly string[], text: ContractText): Finding {
  const meant = didYouMean(name, names);
  return {
    ...text.at(path),
    message:
      sentence(`the name of a chunk (${names.join(', ')})`, quoted(name), path.slice(0, -1)) +
      suggestion(meant),
    example: `after: [${meant ?? names[0] ?? 'model'}]`,
  };
}

/** Removes chunks that wait for no other, again and again. Those that are left wait for each other. */
function circles(
  names: readonly string[],
  after: ReadonlyMap<string, string[]>,
  text: ContractText,
): Finding[] {
  let left = [...names];
  for (;;) {
    const stuck = left.filter((name) => (after.get(name) ?? []).some((other) => left.includes(other)));
    if (stuck.length === left.length) break;
    left = stuck;
  }
  const [first] = left;
  if (first === undefined) return [];
  const message = `expected chunks that do not wait for one another, found ${left.join(', ')}`;
  return [{ ...text.atKey(['chunks'], first), message, example: 'after: []' }];
}

function unused(contract: Data, text: ContractText): Finding[] {
  if (contract.complexity === undefined || contract.preset !== undefined) return [];
  return [{ ...text.at(['complexity']), message: '"complexity" has no effect without a preset' }];
}

const WITHOUT_PERSON = ['every_stop', 'task_created', 'task_done', 'teammate', 'prompt', 'subagent'];

/** Warns of gates that ask you in lists where they are always skipped: a skip looks like a pass. */
function unasked(contract: Data, text: ContractText): Finding[] {
  const askers = kindsWith('asksPerson');
  const asking = Object.entries(fieldsOf(contract.gates)).flatMap(([name, gate]) =>
    askers.some((kind) => kind in fieldsOf(gate)) ? [name] : [],
  );
  const made = plannedGates({ phases: contract.phases });
  return WITHOUT_PERSON.flatMap((key) =>
    [...new Set(namesUnder(contract[key]))]
      .filter((name) => asking.includes(name) || made.includes(name))
      .map((name) => ({
        ...text.atKey([], key),
        message: `the gate ${quoted(name)} asks you, and only the Stop of a loop can wait for your answer: in ${key} it is skipped`,
        example: `done: [${name}]`,
      })),
  );
}

/** The names in a list, in the `gates` of a long form, or in lists by name. */
function namesUnder(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter((name) => typeof name === 'string');
  return Object.values(fieldsOf(value)).filter(Array.isArray).flatMap(namesUnder);
}
