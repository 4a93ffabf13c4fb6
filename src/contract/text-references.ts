/** Gates that look at a text, in lists where there is none. */
import { COMBINATIONS } from '../core/contract/gate-options.ts';
import { kindsWith } from '../gates/traits.ts';
import { type ContractText, type Finding, mapOf } from './document.ts';
import { quoted } from './problems.ts';

const WITHOUT_TEXT = ['done', 'every_stop', 'teammate'];
const WITH_TEXT = ['prompt', 'task_created', 'task_done'];
const EXAMPLE = 'prompt: [no-secrets]';

/** A gate that always skips looks like one that passes; one that no list of texts names is never judged. */
export function aboutTexts(text: ContractText): Finding[] {
  const contract = mapOf(text.data);
  const readers = kindsWith('readsText');
  const texts = Object.entries(mapOf(contract.gates)).flatMap(([name, gate]) =>
    readers.some((kind) => kind in mapOf(gate)) ? [name] : [],
  );
  const misplaced = WITHOUT_TEXT.flatMap((key) =>
    namesIn(contract[key])
      .filter((name) => texts.includes(name))
      .map((name) => ({
        ...text.atKey([], key),
        message: `the gate ${quoted(name)} looks at prompts and tasks: in ${key} it has nothing to look at`,
        example: EXAMPLE,
      })),
  );
  return [...misplaced, ...unlisted(texts, contract, text)];
}

/** With a list of `done`, whatever is in no list is found by its own. */
function unlisted(
  texts: readonly string[],
  contract: Record<string, unknown>,
  text: ContractText,
): Finding[] {
  if ('done' in contract) return [];
  const parts = Object.values(mapOf(contract.gates)).flatMap((gate) =>
    COMBINATIONS.flatMap((kind) => namesIn(mapOf(gate)[kind])),
  );
  const listed = [...WITH_TEXT, ...WITHOUT_TEXT].flatMap((key) => namesIn(contract[key]));
  return texts
    .filter((name) => ![...listed, ...parts].includes(name))
    .map((name) => ({
      ...text.atKey(['gates'], name),
      message: `the gate ${quoted(name)} looks at prompts and tasks, and no list of these names it: it is never judged`,
      example: `prompt: [${name}]`,
    }));
}

/** Names in a list, or in the `gates` of a long form. */
function namesIn(value: unknown): string[] {
  const list = Array.isArray(value) ? value : mapOf(value).gates;
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
}
