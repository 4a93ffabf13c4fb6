/** Proposes the clean room of a contract: what is installed in it, and what is measured there. */
import { quoteForShell } from '../shell/words.ts';
import type { Dependencies, FolderFacts, ProjectFacts } from './project-facts.ts';
import { foldersNotInCi } from './propose-gates.ts';
import { envText, gate, type ProposedGate, yamlText } from './propose-text.ts';

export interface ProposedSetup {
  run: string[];
  inputs: string[];
  /** Dependencies as they lay in the project, where nothing installs exactly them. */
  asFound?: true;
}

export type ProposedRoom =
  /** `setup` is absent where nothing has to be installed. */
  | { kind: 'clean'; setup?: ProposedSetup; notes: readonly string[] }
  /** What would have to be there, to tell how to install the dependencies. */
  | { kind: 'unknown'; missing: string };

/** How dependencies get into a room. */
export interface RoomChoices {
  /** Everything as it was found: a clean installation fails here. */
  asFound?: boolean;
}

/** The facts as they would be without anything that installs: what lies there is all there is. */
export function asFoundHere<Facts extends FolderFacts | ProjectFacts>(facts: Facts): Facts {
  const packages = 'packages' in facts ? facts.packages?.map((one) => asFoundHere(one)) : undefined;
  const there = Object.entries(facts.dependencies ?? {}).map(([language, one]) => {
    if (!one.found || one.run === undefined) return [language, one] as const;
    const { run, python, inputs, ...rest } = one;
    const own = 'machine' in facts ? facts.machine?.environment : undefined;
    return [
      language,
      {
        ...rest,
        inputs: [],
        hint: `"${run}" fails here`,
        ...(own === undefined ? {} : { python: `${own}/bin/python` }),
      },
    ] as const;
  });
  return {
    ...facts,
    // Scripts run with any manager that is there; another one would want to install first.
    ...(facts.node?.call?.startsWith('corepack ')
      ? { node: { ...facts.node, manager: 'npm' as const, call: 'npm' } }
      : {}),
    ...(facts.python ? { python: { ...facts.python, runner: '' as const } } : {}),
    ...(facts.dependencies ? { dependencies: Object.fromEntries(there) } : {}),
    ...(packages ? { packages } : {}),
  };
}

/** The commands that install what a folder depends on, where that can be told. */
export function installCommands({ dependencies }: FolderFacts): string[] {
  return Object.values(dependencies ?? {}).flatMap(({ run }) => (run === undefined ? [] : [run]));
}

export function proposeRoom(facts: ProjectFacts): ProposedRoom {
  if (!facts.git) return { kind: 'unknown', missing: 'a git repository (git init)' };
  const unused = new Set(foldersNotInCi(facts));
  const all = [
    ...Object.values(facts.dependencies ?? {}).map((one) => ({ folder: '', ...one })),
    ...(facts.packages ?? [])
      .filter(({ folder }) => !unused.has(folder))
      .flatMap(({ folder, dependencies }) =>
        ofPackage(dependencies, facts).map((one) => ({ folder: `${folder}/`, ...one })),
      ),
  ];
  const taken = all.filter(({ run, found }) => found && run === undefined);
  const unknown = all.find((one) => one.run === undefined && !taken.includes(one));
  if (unknown)
    return {
      kind: 'unknown',
      missing: `${unknown.missing ?? 'what installs them'}${unknown.folder && ` in ${unknown.folder}`}`,
    };
  if (all.length === 0) return { kind: 'clean', notes: [] };
  const installed = all.filter((one) => !taken.includes(one));
  const run = installed.map(({ folder, run: command = '' }) =>
    folder === '' ? command : `cd ${quoteForShell(folder.slice(0, -1))} && ${command}`,
  );
  const inputs = installed.flatMap(({ folder, inputs: paths }) => paths.map((path) => `${folder}${path}`));
  const setup = {
    run,
    inputs: [...new Set(inputs)],
    ...(taken.length > 0 ? { asFound: true as const } : {}),
  };
  return { kind: 'clean', setup, notes: [...new Set(taken.map(whyFound))] };
}

/** Why dependencies are taken as found, and what would be better, in one line. */
function whyFound({ hint, missing }: Dependencies): string {
  if (hint !== undefined) return `Dependencies as found: ${hint}`;
  return `Dependencies as found: there is no ${(missing ?? 'lock file').replace(/^an? /, '')}`;
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
    ...room.notes.map((note) => `# ${note}`),
    ...(room.setup ? [`setup: ${setupText(room.setup)}`] : []),
    ...(needs.length > 0
      ? [`needs: [${needs.map(yamlText).join(', ')}]  # ignored by git, as they are when a loop starts`]
      : []),
    '',
  ];
}

export function setupText({ run, inputs, asFound }: ProposedSetup): string {
  if (asFound && run.length === 0) return 'as_found';
  const commands = run.map(yamlText);
  const value = commands.length === 1 ? commands[0] : `[${commands.join(', ')}]`;
  const found = asFound ? 'found: ["*"], ' : '';
  return `{ ${found}run: ${value}, inputs: [${inputs.map(yamlText).join(', ')}] }`;
}

/** One differential gate for each command that tests. */
export function proofGates(
  tests: readonly {
    name: string;
    command: string;
    folder?: string;
    env?: Readonly<Record<string, string>>;
  }[],
  room: ProposedRoom,
): ProposedGate[] {
  if (room.kind === 'unknown') return [];
  return tests.map(({ name, command, folder, env }) => {
    const where = folder === undefined ? '' : `, cwd: ${yamlText(folder)}`;
    const body = `{ differential: ${yamlText(command)}${where}${envText(env)} }`;
    const why = 'the tests of the start pass on the new code; new tests fail on the old code';
    return gate(name.replace(/^tests/, 'proof'), body, why);
  });
}
