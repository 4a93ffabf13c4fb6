/** The demo of a plan: the project and the script of examples/four-chunks, as they lie there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { UsageError } from '../../commands/usage-error.ts';
import { CONTRACT_FILE } from '../../core/contract.ts';
import { parseContract } from '../../wire/contract.ts';
import { parseSimulatorScript } from '../simulator/simulator-script.ts';
import type { Story } from './story.ts';

export interface PlanStory extends Story {
  /** In their order. */
  phases: readonly string[];
  chunks: readonly { name: string; instruction: string }[];
  /** The chunk whose first version does not pass its tests. */
  stumbles: string;
  /** What the person is asked about, and what they say. */
  checkpoint: { phase: string; file: string; note: string };
}

const EXAMPLE = 'four-chunks';
const MODEL = 'model.yaml';

/** Beside the bundle when installed; in the repository when run from there. */
export function exampleFolder(programFolder: string): string {
  const places = [join(programFolder, EXAMPLE), join(programFolder, '..', 'examples', EXAMPLE)];
  const found = places.find((place) => existsSync(join(place, MODEL)));
  if (!found) throw new UsageError(`the example is missing in ${places[0]}: install untildone again`);
  return found;
}

export function planStory(folder: string): PlanStory {
  const files = filesIn(join(folder, 'project'));
  const { turns = [] } = parseSimulatorScript(readFileSync(join(folder, MODEL), 'utf8'), MODEL);
  return {
    files,
    commit: 'Tests for a till that nobody has written yet',
    test: 'node --test',
    turns: () => turns,
    untouched: Object.keys(files),
    ending: 'verified_done',
    ...orderIn(files[CONTRACT_FILE] ?? ''),
    stumbles: 'discount',
    checkpoint: { phase: 'plan', file: 'PLAN.md', note: 'cents are a good idea' },
  };
}

function filesIn(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((e) => e.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(
    paths.map((path) => [relative(folder, path).replaceAll(sep, '/'), readFileSync(path, 'utf8')]),
  );
}

function orderIn(text: string): Pick<PlanStory, 'phases' | 'chunks'> {
  const parsed = parseContract(text, CONTRACT_FILE);
  if (!parsed.ok) throw new UsageError(`the ${CONTRACT_FILE} of the example ${EXAMPLE} cannot be read`);
  const { phases = [], gates } = parsed.contract;
  const chunks = Object.values(gates).flatMap((gate) => (gate.kind === 'chunks' ? gate.options.chunks : []));
  return { phases: phases.map(({ name }) => name), chunks };
}
