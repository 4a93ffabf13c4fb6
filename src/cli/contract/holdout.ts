import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { readContract } from '../../engine/contract/read.ts';
import { CONTRACT_FILE, type Contract } from '../../engine/core/contract/contract.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { insideProject } from '../../engine/core/text/paths.ts';
import { jsonLines, visible } from '../../engine/core/text/visible.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import {
  forgetAllHeldOut,
  forgetHeldOut,
  type HeldFile,
  heldOut,
  holdOut,
  keepCount,
} from '../../engine/home/holdout.ts';
import { projectFolder, realPath } from '../../engine/home/layout.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { verify } from '../../engine/judging/verify.ts';
import { paint, VERDICT_STYLES } from '../../engine/terminal/style.ts';

type Out = (line: string) => void;

const MOST_FILES = 2_000;
const FILE_LIMIT = 5 * 1024 * 1024;
const TOTAL_LIMIT = 50 * 1024 * 1024;
const SKIPPED = new Set(['.git', 'node_modules']);

/** Keeps files where the agent does not see them: they are laid over its work when a gate `holdout` is judged. */
export async function addHoldout(
  paths: readonly string[],
  options: { as?: string; cwd?: string },
  world: ProjectPorts,
  out: Out,
): Promise<number> {
  refuseInsideClient('holdout add', world.home, world.env);
  if (options.as !== undefined && paths.length > 1)
    throw new UsageError('--as names the place of one file or folder: add the others one by one');
  const from = paths.flatMap((path) =>
    sourcesAt(resolve(options.cwd ?? process.cwd(), path), options.as, world),
  );
  checkSizes(from);
  const files = from.map(({ file, path }) => ({ path, content: readFileSync(file) }));
  const kept = holdOut(world.home, world.project, files);
  for (const { path } of files) out(`Held out: ${visible(path)}`);
  const seen = await seenByAgent(
    files.map(({ path }) => path),
    from,
    world,
  );
  for (const line of seen) out(`${paint('open', 'Note:')} ${line}`);
  out(`${kept.length} ${kept.length === 1 ? 'file is' : 'files are'} held out for this project.`);
  if (holdoutGates(readContract(world.project)?.contract).length === 0)
    out(
      `No gate runs them yet. Add one to ${CONTRACT_FILE}: acceptance: { holdout: node --test acceptance/ }`,
    );
  return EXIT.ok;
}

interface Source {
  /** Where it is now. */
  file: string;
  /** Its place in the project. */
  path: string;
  bytes: number;
}

function sourcesAt(given: string, as: string | undefined, { project }: ProjectPorts): Source[] {
  const root = realPath(project);
  const inside = relative(root, realPath(given)).split(sep).join('/');
  const isInside = inside !== '' && insideProject(inside) !== undefined;
  const target = insideProject(as ?? (isInside ? inside : basename(given)));
  if (target === undefined || target === '.' || /(?:^|\/)\.git(?:\/|$)|\p{C}/u.test(target))
    throw new UsageError(
      `"${visible(as ?? given)}" cannot be a place in the project; name one with --as, for example: --as acceptance`,
    );
  return walk(given, target);
}

function walk(file: string, path: string): Source[] {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (!stat) throw new UsageError(`there is no file or folder ${visible(file)}`);
  if (stat.isSymbolicLink())
    throw new UsageError(`${visible(file)} is a symbolic link; add the file that it leads to, with --as`);
  if (stat.isFile()) return [{ file, path, bytes: stat.size }];
  if (!stat.isDirectory()) throw new UsageError(`${visible(file)} is neither a file nor a folder`);
  return readdirSync(file)
    .filter((name) => !SKIPPED.has(name))
    .flatMap((name) => walk(join(file, name), `${path}/${name}`));
}

function checkSizes(files: readonly Source[]): void {
  if (files.length === 0) throw new UsageError('there are no files in it');
  if (files.length > MOST_FILES)
    throw new UsageError(`these are ${files.length} files; at most ${MOST_FILES} can be held out`);
  const large = files.find(({ bytes }) => bytes > FILE_LIMIT);
  if (large) throw new UsageError(`${visible(large.file)} is larger than ${FILE_LIMIT / 1024 / 1024} MiB`);
  if (files.reduce((sum, { bytes }) => sum + bytes, 0) > TOTAL_LIMIT)
    throw new UsageError(`these files are larger than ${TOTAL_LIMIT / 1024 / 1024} MiB together`);
}

/** What the agent has seen, or can see, of files that should be hidden from it. */
async function seenByAgent(
  paths: readonly string[],
  from: readonly Source[],
  world: ProjectPorts,
): Promise<string[]> {
  const root = realPath(world.project);
  const there = new Set([
    ...paths.filter((path) => lstatSync(join(root, path), { throwIfNoEntry: false })),
    ...from.flatMap(({ file, path }) => (realPath(file).startsWith(`${root}${sep}`) ? [path] : [])),
  ]);
  const judges = await world.judges(readContract(world.project)?.contract ?? EMPTY);
  const { git } = judges.workspace(world.project);
  const logged = await git([
    'log',
    '--all',
    '--format=',
    '--name-only',
    '-z',
    '--relative',
    '--',
    ...paths,
  ]).catch(() => undefined);
  const inHistory = new Set(logged?.exitCode === 0 ? logged.stdout.split(/[\0\n]/) : []);
  return paths.flatMap((path) => {
    if (there.has(path))
      return [`${visible(path)} is in the project, where the agent can read it: remove it there.`];
    return inHistory.has(path)
      ? [`${visible(path)} is in the history of git, where the agent can read it.`]
      : [];
  });
}

const EMPTY = { gates: { any: { kind: 'git', options: { checks: ['clean'] } } } } as never as Contract;

export function listHoldout(options: { json: boolean }, world: ProjectPorts, out: Out): number {
  refuseInsideClient('holdout list', world.home, world.env);
  const files = heldOut(world.home, world.project);
  if (options.json) {
    for (const line of jsonLines({ files })) out(line);
    return EXIT.ok;
  }
  for (const { path, bytes } of files) out(`${visible(path)}  ${bytes} bytes`);
  if (files.length === 0)
    out('Nothing is held out for this project. Add tests with: untildone holdout add PATH');
  return EXIT.ok;
}

export function removeHoldout(
  paths: readonly string[],
  options: { all: boolean },
  world: ProjectPorts,
  out: Out,
): number {
  refuseInsideClient('holdout remove', world.home, world.env);
  if (options.all) {
    forgetAllHeldOut(world.home, world.project);
    out('Nothing is held out for this project any more.');
    return EXIT.ok;
  }
  if (paths.length === 0) throw new UsageError('name what to remove, or --all');
  const gone: HeldFile[] = forgetHeldOut(
    world.home,
    world.project,
    paths.map((path) => insideProject(path) ?? path),
  );
  if (gone.length === 0)
    throw new UsageError(`nothing like that is held out; there is: untildone holdout list`);
  for (const { path } of gone) out(`No longer held out: ${visible(path)}`);
  return EXIT.ok;
}

/** Judges the gates `holdout` on the project as it is. You see everything, whatever the agent is told. */
export async function checkHoldout(world: ProjectPorts, out: Out): Promise<number> {
  refuseInsideClient('holdout check', world.home, world.env);
  const file = readContract(world.project);
  const gates = holdoutGates(file?.contract);
  if (!file || gates.length === 0)
    throw new UsageError(
      `no gate of ${CONTRACT_FILE} runs held-out tests; add one: acceptance: { holdout: node --test acceptance/ }`,
    );
  const contract = revealed(file.contract);
  const { verdicts } = await verify(
    {
      contract,
      project: world.project,
      task: contract.task ?? '',
      base: {},
      outputDir: join(projectFolder(world.home, world.project), 'holdout', 'output'),
      gates,
    },
    await world.judges(contract),
  );
  for (const { gate, outcome, summary, evidence = [], proof } of verdicts) {
    const { passed = 0, failed = 0, skipped = 0 } = proof?.tests ?? {};
    const ran = passed + failed + skipped;
    if (proof?.command !== undefined && ran > 0) keepCount(world.home, world.project, proof.command, ran);
    out(`${paint(VERDICT_STYLES[outcome], outcome)} ${gate}: ${visible(summary)}`);
    for (const line of evidence) out(`  ${visible(line)}`);
  }
  if (verdicts.every(({ outcome }) => outcome === 'pass')) return EXIT.ok;
  return verdicts.some(({ outcome }) => outcome === 'fail') ? EXIT.no : EXIT.refused;
}

function holdoutGates(contract: Contract | undefined): string[] {
  return Object.entries(contract?.gates ?? {}).flatMap(([name, { kind }]) =>
    kind === 'holdout' ? [name] : [],
  );
}

function revealed(contract: Contract): Contract {
  const gates = Object.entries(contract.gates).map(([name, spec]): [string, typeof spec] => [
    name,
    spec.kind === 'holdout' ? { ...spec, options: { ...spec.options, reveal: 'output' } } : spec,
  ]);
  return { ...contract, gates: Object.fromEntries(gates) };
}
