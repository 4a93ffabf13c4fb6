/** Proposes the clean room of a contract: what is installed in it, and what is measured there. */
import { quoteForShell } from '../shell/words.ts';
import type { Dependencies, FolderFacts, ProjectFacts } from './project-facts.ts';
import { gate, type ProposedGate, yamlText } from './propose-text.ts';

export interface ProposedSetup {
  run: string[];
  inputs: string[];
}

export type ProposedRoom =
  /** `setup` is absent where nothing has to be installed. */
  | { kind: 'clean'; setup?: ProposedSetup }
  /** What would have to be there, to tell how to install the dependencies. */
  | { kind: 'unknown'; missing: string };

/** The commands that install what a folder depends on, where that can be told. */
export function installCommands({ dependencies }: FolderFacts): string[] {
  return Object.values(dependencies ?? {}).flatMap(({ run }) => (run === undefined ? [] : [run]));
}

export function proposeRoom(facts: ProjectFacts): ProposedRoom {
  if (!facts.git) return { kind: 'unknown', missing: 'a git repository (git init)' };
  const all = [
    ...Object.values(facts.dependencies ?? {}).map((one) => ({ folder: '', ...one })),
    ...(facts.packages ?? []).flatMap(({ folder, dependencies }) =>
      ofPackage(dependencies, facts).map((one) => ({ folder: `${folder}/`, ...one })),
    ),
  ];
  const unknown = all.find(({ run }) => run === undefined);
  if (unknown)
    return {
      kind: 'unknown',
      missing: `${unknown.missing ?? 'what installs them'}${unknown.folder && ` in ${unknown.folder}`}`,
    };
  if (all.length === 0) return { kind: 'clean' };
  const run = all.map(({ folder, run: command = '' }) =>
    folder === '' ? command : `cd ${quoteForShell(folder.slice(0, -1))} && ${command}`,
  );
  const inputs = all.flatMap(({ folder, inputs: paths }) => paths.map((path) => `${folder}${path}`));
  return { kind: 'clean', setup: { run, inputs: [...new Set(inputs)] } };
}

/** Packages of a workspace are installed with the workspace. */
function ofPackage(
  dependencies: FolderFacts['dependencies'],
  { dependencies: above, node }: ProjectFacts,
): Dependencies[] {
  const isMember = (node?.workspaces ?? []).length > 0 && above?.node?.run !== undefined;
  return Object.entries(dependencies ?? {}).flatMap(([language, one]) =>
    (language === 'node' && isMember) || (language === 'rust' && above?.rust) ? [] : [one],
  );
}

/** The lines of the contract that say where commands run. */
export function roomLines(room: ProposedRoom, needs: readonly string[]): string[] {
  if (room.kind === 'unknown')
    return [
      '# Commands run in the folder in which the agent works. To judge the work in a clean room, this is missing:',
      `#   ${room.missing}`,
      '',
    ];
  return [
    '# Commands run in a fresh copy of the work, where the agent could not prepare anything:',
    'room: clean',
    ...(room.setup ? [`setup: ${setupText(room.setup)}`] : []),
    ...(needs.length > 0
      ? [`needs: [${needs.map(yamlText).join(', ')}]  # ignored by git, as they are when a loop starts`]
      : []),
    '',
  ];
}

export function setupText({ run, inputs }: ProposedSetup): string {
  const commands = run.map(yamlText);
  const value = commands.length === 1 ? commands[0] : `[${commands.join(', ')}]`;
  return `{ run: ${value}, inputs: [${inputs.map(yamlText).join(', ')}] }`;
}

/** One differential gate for each command that tests. */
export function proofGates(
  tests: readonly { name: string; command: string; folder?: string }[],
  room: ProposedRoom,
): ProposedGate[] {
  if (room.kind === 'unknown') return [];
  return tests.map(({ name, command, folder }) => {
    const where = folder === undefined ? '' : `, cwd: ${yamlText(folder)}`;
    const body = `{ differential: ${yamlText(command)}${where} }`;
    const why = 'the tests of the start pass on the new code; new tests fail on the old code';
    return gate(name.replace(/^tests/, 'proof'), body, why);
  });
}
