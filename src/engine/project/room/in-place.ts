/** A folder as a place for commands, with what test runners can tell. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestResults } from '../../core/proof/test-results.ts';
import { sha256 } from '../../files/digest.ts';
import { readSmall } from '../../files/whole-file.ts';
import type { Shell, ShellResult } from '../../ports/ports.ts';
import type { Place, TestCommand, TestRun } from '../../ports/rooms.ts';
import { systemShell } from '../shell/shell.ts';
import { askForReport, collectReports, withoutAsked } from '../test-report/ask.ts';
import type { Laid } from '../test-report/canary.ts';
import { goOutput } from '../test-report/json.ts';
import { reachIn } from '../walls/protected.ts';
import { type Enclosure, wallsName } from '../walls/walls.ts';
import { withoutSecrets } from './environment.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export function inPlace(dir: string, shell: Shell, env: Environment): Place {
  return { dir, shell, room: 'project', runTests: (command) => runTests(command, dir, shell, env) };
}

export interface WalledProject {
  dir: string;
  env: Environment;
  walls: Enclosure;
  /** A folder for caches of compilers and package managers, which commands cannot keep in your home. */
  caches: string;
  /** Variables that may hold secrets and that commands need. */
  passEnv?: readonly string[];
}

/**
 * The project's folder as a place whose commands run within walls. They may write to it, but not to what says when the
 * work is done, nor to what programs outside of the walls run or follow later, whether it is there or not.
 */
export function withinWalls({ dir, env, walls, caches, passEnv }: WalledProject): Place {
  const temp = tempOfProcess();
  mkdirSync(caches, { recursive: true, mode: 0o700 });
  const own = {
    TMPDIR: temp,
    TMP: temp,
    TEMP: temp,
    XDG_CACHE_HOME: caches,
    npm_config_cache: join(caches, 'npm'),
  };
  const environment = { ...withoutSecrets(env, passEnv), ...own };
  const shell: Shell = {
    async run(command) {
      // What is protected may come and go between commands.
      const { putBack, ...reach } = reachIn(dir, [temp, caches]);
      const result = await systemShell(environment, { ...walls, ...reach }).run(command);
      return saying(putBack(), result);
    },
  };
  return {
    dir,
    shell,
    room: 'project',
    walls: wallsName(walls),
    runTests: (command) => runTests(command, dir, shell, environment, temp),
  };
}

let temp: string | undefined;

/** One folder for temporary files of all commands of this process. */
function tempOfProcess(): string {
  if (temp === undefined || !existsSync(temp)) {
    const made = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-')));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    temp = made;
  }
  return temp;
}

/** Tells with the output what a command made and does not keep. */
function saying(removed: readonly string[], result: ShellResult): ShellResult {
  if (removed.length === 0) return result;
  const said = `\nuntildone: taken back: ${removed.join(', ')}. Walls keep commands from making what programs outside would run or follow.\n`;
  return { ...result, output: result.output + said };
}

/** `dir` is the folder of all the files; the command may run in a folder below it. */
export async function runTests(
  command: TestCommand,
  dir: string,
  shell: Shell,
  env: Environment,
  folder = tmpdir(),
): Promise<TestRun> {
  const reports = mkdtempSync(join(folder, 'untildone-report-'));
  let takeOut: (() => void) | undefined;
  try {
    const asked = askForReport(command.command, command.cwd, reports, { ...env, ...command.env });
    // File systems may keep times in whole seconds.
    const since = Math.floor(Date.now() / 1000) * 1000;
    const { canary: order, ...plain } = command;
    const canary = order && (await import('../test-report/canary.ts')).layCanary(order, asked.runner, dir);
    takeOut = canary?.remove;
    const ran = await shell.run({
      ...plain,
      command: asked.command,
      env: { ...command.env, ...asked.env },
    });
    const xml = asked.leavesXml ? { since } : undefined;
    const reported = await collectReports(reports, dir, ran.stdout, xml);
    const result = canary ? withoutNaming(canary, ran) : ran;
    const { tests, laid } = canary ? canary.found(reports, reported) : { tests: reported };
    const isOther = asked.command !== command.command;
    return {
      result: asPeopleRead(result, tests, isOther, reports, command.outputFile),
      asked: isOther || Object.keys(asked.env).length > 1,
      tests,
      ...(laid ? { canary: laid } : {}),
    };
  } finally {
    takeOut?.();
    rmSync(reports, { recursive: true, force: true });
  }
}

/** What failed is told from run to run by its words: a name that is another one each time is none of them. */
function withoutNaming(canary: Laid, result: ShellResult): ShellResult {
  const { output, stdout, stderr } = result;
  const without = (text: string) => canary.unnamed(text);
  return { ...result, output: without(output), stdout: without(stdout), stderr: stderr && without(stderr) };
}

/** A runner that was asked for events prints them instead of its usual lines, and what asked it is nothing of the project. */
function asPeopleRead(
  result: ShellResult,
  tests: TestResults | undefined,
  wasAsked: boolean,
  reports: string,
  outputFile: string | undefined,
): ShellResult {
  const clean = (text: string) => {
    const own = withoutAsked(text, reports);
    return wasAsked ? goOutput(own) : own;
  };
  const output = clean(result.output);
  const failing = [...(tests?.tests ?? [])].flatMap(([name, { failed }]) =>
    failed > 0 ? [`✖ ${name}`] : [],
  );
  return {
    ...result,
    output: wasAsked && output.trim() === '' ? failing.join('\n') : output,
    stdout: clean(result.stdout),
    ...(outputFile === undefined ? {} : cleanFile(outputFile, clean)),
  };
}

/** The whole output in its file, as people read it, and its digest then. */
function cleanFile(
  path: string,
  clean: (text: string) => string,
): Partial<Pick<ShellResult, 'outputSha256' | 'outputBytes'>> {
  const bytes = readSmall(path, WHOLE_OUTPUT);
  if (bytes === undefined) return {};
  const text = clean(bytes);
  if (text === bytes) return {};
  writeFileSync(path, text, { mode: 0o600 });
  return { outputSha256: sha256(text), outputBytes: Buffer.byteLength(text) };
}

const WHOLE_OUTPUT = 64 * 1024 * 1024;
