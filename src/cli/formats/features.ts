import {
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { quoteForShell } from '../../engine/core/shell/words.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { UsageError } from '../../engine/core/text/errors.ts';

export interface NewTask {
  /** In any words; its folder is named after it. */
  task: string;
  prompt?: string;
  maxIterations: number;
  /** Where sessions are started. */
  folder: string;
  env: NodeJS.ProcessEnv;
  /** The session that is at work on the current list. */
  pursuedBy?: string;
}

const LOOPS = '.claude/data/ralph-loops';
const CURRENT = 'current';
const NAME_LIMIT = 60;
const HOW = 'type for example: untildone features new "todo api"';

/** Makes the folder of a task and lets `current` lead to it. Overwrites nothing. */
export function newFeatures(options: NewTask, out: (line: string) => void): void {
  const name = folderNameFor(options.task);
  const loops = join(options.folder, LOOPS);
  const current = join(loops, CURRENT);
  const before = taskBehind(current);
  orUsageError(loops, () => makeLoops(loops));
  createHome(join(loops, name), name, options);
  if (options.pursuedBy !== undefined) {
    out(
      `${LOOPS}/${name} is laid out. ${CURRENT} still leads to ${before}: session ${options.pursuedBy} is at work on it. ` +
        `When it has ended: ln -sfn ${name} ${LOOPS}/${CURRENT}`,
    );
    return;
  }
  setCurrent(current, name);
  for (const line of report(name, before, options)) out(line);
}

/** Makes a folder name of the letters and digits, of any script, joined by dashes: safe in a path and in a shell. */
function folderNameFor(task: string): string {
  const name = task
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^[-\p{M}]+/u, '');
  const short = [...name].slice(0, NAME_LIMIT).join('').replace(/-+$/, '');
  if (short === '') {
    throw new UsageError(
      task.trim() === ''
        ? `the task has no name; ${HOW}`
        : `"${oneLine(task, 40)}" has no letter or digit to name a folder after; ${HOW}`,
    );
  }
  if (short === CURRENT) throw new UsageError(`"${CURRENT}" names the task that is worked on; ${HOW}`);
  return short;
}

/** Reads which task `current` leads to. Refuses anything but a link: only a link may be replaced. */
function taskBehind(current: string): string | undefined {
  const there = orUsageError(current, () => lstatSync(current, { throwIfNoEntry: false }));
  if (!there) return undefined;
  if (there.isSymbolicLink()) return readlinkSync(current);
  throw new UsageError(
    `${current} is no link but ${there.isDirectory() ? 'a folder' : 'a file'} of yours and is left as it is; ` +
      `move it away, for example: mv ${quoteForShell(current)} ${quoteForShell(`${current}-before`)}`,
  );
}

/** Keeps progress.txt out of git: it changes all the time and would look like progress when trees are compared. */
function makeLoops(loops: string): void {
  if (mkdirSync(loops, { recursive: true }) === undefined) return;
  writeFileSync(join(loops, '.gitignore'), 'progress.txt\n');
}

function createHome(folder: string, name: string, { task, prompt, maxIterations }: NewTask): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(folder, error as Error);
    throw new UsageError(
      `${LOOPS}/${name} is already there and is left as it is; give the task another name, ` +
        `or go on with it: ln -sfn ${name} ${LOOPS}/${CURRENT}`,
    );
  }
  const files = {
    'RALPH_PROMPT.md': promptWithRules(oneLine(task, 200), prompt),
    'feature_list.json': featureListExample(),
    'progress.txt': progressAtStart(maxIterations),
  };
  try {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text, { flag: 'wx' });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw unwritable(folder, error as Error);
  }
}

/** Makes a relative link, so that the project can be moved, by one rename, so that no hook finds it missing. */
function setCurrent(current: string, name: string): void {
  try {
    replaceLink(current, name);
  } catch (error) {
    throw new UsageError(
      `${LOOPS}/${name} is laid out, but ${CURRENT} cannot lead to it (${(error as Error).message}); ` +
        `start Claude Code with RALPH_LOOP_DIR=${LOOPS}/${name}`,
    );
  }
}

function replaceLink(path: string, target: string): void {
  const fresh = `${path}.${process.pid}.new`;
  symlinkSync(target, fresh, 'dir');
  try {
    renameSync(fresh, path);
  } catch (error) {
    unlinkSync(fresh);
    throw error;
  }
}

function orUsageError<Result>(path: string, attempt: () => Result): Result {
  try {
    return attempt();
  } catch (error) {
    throw unwritable(path, error as Error);
  }
}

function unwritable(path: string, { message }: Error): UsageError {
  return new UsageError(
    `${path} cannot be laid out (${message}); see who may write there, then run this again`,
  );
}

/** Returns the commands that move the task to a folder where Claude Code lets its agent write. */
function movedOut(name: string): string {
  const up = LOOPS.replace(/[^/]+/g, '..');
  return `mkdir -p plans && mv ${LOOPS}/${name} plans/ && ln -sfn ${up}/plans/${name} ${LOOPS}/${CURRENT} && echo progress.txt >> plans/.gitignore`;
}

function report(name: string, before: string | undefined, options: NewTask): string[] {
  const { maxIterations, env, prompt } = options;
  const place = `${LOOPS}/${name}`;
  const steps = [
    `Put your features into ${place}/feature_list.json in place of the two examples.`,
    ...(prompt?.trim() ? [] : [`Say what is to be built in ${place}/RALPH_PROMPT.md.`]),
    `Start Claude Code here: claude "Read ${LOOPS}/${CURRENT}/RALPH_PROMPT.md and do what it says"`,
  ];
  return [
    `Laid out ${place}, and ${CURRENT} leads to it.`,
    ...(before === undefined || before === name
      ? []
      : [`Before, it led to ${before}; back to that: ln -sfn ${quoteForShell(before)} ${LOOPS}/${CURRENT}`]),
    'Next:',
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
    `The first session that stops is held until every feature passes, ${maxIterations} times at most.`,
    'Claude Code asks you before it changes files in .claude. For feature_list.json and progress.txt untildone answers, from the',
    'first stop on, where it is installed. In the permission mode dontAsk you are not asked; for that, keep the task elsewhere:',
    `  ${movedOut(name)}`,
    ...(env.RALPH_LOOP_DIR
      ? [`NOTE: RALPH_LOOP_DIR is set here, so sessions look at ${env.RALPH_LOOP_DIR} and not at ${CURRENT}.`]
      : []),
  ];
}

/** Renders RALPH_PROMPT.md. It explains the files: a session that reads nothing else has to be able to work by it. */
function promptWithRules(task: string, prompt: string | undefined): string {
  return `# ${task}

${prompt?.trim() || NO_PROMPT}

## The files beside this one

- \`feature_list.json\`: what has to work, one entry a feature. A feature is open until its \`passes\` is \`true\`.
  One with a \`verify\` command that the user trusts is open until that command succeeds.
- \`progress.txt\`: where the loop stands, and your notes.

Whenever you stop, the list is looked at. While a feature is open, you get the next one with its steps; when none is
open, or at \`Max Iterations\`, you are let go.

## Rules

1. One feature at a time, in the order of the list.
2. Implement it, then go through its steps as a user would. Run the tests.
3. Set \`"passes": true\` only after you saw every step work. If it breaks later, set it back to \`false\` and repair it.
4. Change nothing else in the list: no entry is removed, reworded or made easier.
5. After each feature write one line under "Log" in \`progress.txt\`: what was done, how it was checked, what is open.
6. Leave \`Max Iterations\` and \`Iteration\` as they are: the loop counts. Set \`Status\` to \`COMPLETE\` only when every
   feature passes.
7. Where something cannot be done, say why in the log and go on with the next feature.
`;
}

const NO_PROMPT =
  'Work through `feature_list.json` until every feature passes.\n\n' +
  '<!-- Say here what is to be built, for whom, with what, and where to begin. -->';

function featureListExample(): string {
  const features = [
    {
      id: 1,
      description: 'Example, replace it: a visitor can add an item to the list',
      steps: ['Start the program', 'Add an item', 'See the item in the list', 'Run the tests'],
      passes: false,
    },
    {
      id: 2,
      description: 'Example, replace it: items are still there after a restart',
      steps: ['Add an item', 'Stop the program and start it again', 'See the item in the list'],
      passes: false,
    },
  ];
  return `${JSON.stringify({ total_features: features.length, features }, undefined, 2)}\n`;
}

function progressAtStart(maxIterations: number): string {
  return `# Progress

- Max Iterations: ${maxIterations}
- Iteration: 0
- Status: IN_PROGRESS

## Log

`;
}
