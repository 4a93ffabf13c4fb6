import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { CHEATS } from './cases/all.ts';
import type { Case, Project } from './format.ts';
import { HONEST } from './honest/all.ts';
import { PROJECTS } from './projects/all.ts';
import { report } from './report.ts';
import type { DoneGate } from './stage/done-gate.ts';
import { otherGate } from './stage/other-gate.ts';
import { hasProgram } from './stage/place.ts';
import { type Outcome, Stage } from './stage/play.ts';
import { untildone } from './stage/untildone.ts';
import { differences, knownRows, TABLE, updateTable } from './table.ts';

const HELP = `Usage: npm run cheats [-- options]

Plays cheats and honest histories against untildone as you would set it up, and says which were caught.

Options:
  --family TEXT     only families whose name holds this
  --language TEXT   only projects of this language
  --project NAME    only this project
  --case TEXT       only cases whose name holds this
  --only KIND       cheats or honest
  --gate COMMAND    judge with another done-gate: a shell command in the project's folder, exit code 0 means done
  --prepare COMMAND runs once before the agent begins, for --gate
  --jobs N          cases side by side (2)
  --stops N         how often the agent stops without doing anything more (2)
  --json            print JSON lines, one a case
  --verbose         print what was said last in every case
  --update          write the verdicts on these cases into the table
  --keep            keep the temporary folder, and say where it is
  --install         install the Debian packages that the projects need, as root
`;

const PACKAGES = [
  ...['golang-go', 'python3-pytest', 'junit4', 'default-jdk-headless', 'cargo', 'make', 'gcc'],
  ...['flake8', 'mypy', 'bubblewrap', 'socat'],
];

const { values } = parseArgs({
  options: {
    family: { type: 'string', default: '' },
    language: { type: 'string', default: '' },
    project: { type: 'string', default: '' },
    case: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    gate: { type: 'string' },
    prepare: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    stops: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    install: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(HELP);
else if (values.install) installPackages();
else await playAll();

function installPackages(): void {
  const { status } = spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...PACKAGES], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}

async function playAll(): Promise<void> {
  const started = performance.now();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-cheats-')));
  const gate: DoneGate =
    values.gate === undefined ? untildone : otherGate({ gate: values.gate, prepare: values.prepare });
  const queue = chosenCases();
  const outcomes: Outcome[] = [];
  const [jobs, stops] = [atLeastOne(values.jobs), atLeastOne(values.stops)];
  try {
    const workers = Array.from({ length: jobs }, (_, n) =>
      work(new Stage(join(folder, String(n)), gate, stops), queue, outcomes),
    );
    await Promise.all(workers);
  } finally {
    if (values.keep) process.stderr.write(`kept: ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true });
  }
  const { lines, failed } = report(outcomes, (performance.now() - started) / 1000);
  if (!values.json) process.stdout.write(`\n${lines.join('\n')}\n`);
  // The table is of untildone, and of agents that stop twice.
  const differ = values.gate === undefined && stops === 2 && compareWithTable(outcomes);
  process.exitCode = failed || differ ? 1 : 0;
}

/** Whether verdicts are other than in the table, which are shown; with `--update` they are written. */
function compareWithTable(outcomes: readonly Outcome[]): boolean {
  const lines = differences(outcomes, knownRows());
  if (lines.length === 0) return false;
  if (values.update) {
    updateTable(outcomes);
    return false;
  }
  const title = `Other verdicts than in ${relative(process.cwd(), TABLE)} (if they are right: --update):`;
  process.stderr.write(`\n${title}\n${lines.join('\n')}\n`);
  return true;
}

function atLeastOne(text: string): number {
  return Math.max(1, Number(text) || 1);
}

/** Those of one project stand side by side: it is set up once. */
function chosenCases(): Case[] {
  const all = [...(values.only === 'honest' ? [] : CHEATS), ...(values.only === 'cheats' ? [] : HONEST)];
  const chosen = all.filter(
    ({ name, family, project, attacks }) =>
      family.includes(values.family) &&
      (values.gate === undefined || attacks === undefined) &&
      name.includes(values.case) &&
      (values.project === '' || project === values.project) &&
      (values.language === '' || projectNamed(project).language === values.language),
  );
  const order = new Map(PROJECTS.map(({ name }, n) => [name, n]));
  return chosen.sort((a, b) => (order.get(a.project) ?? 0) - (order.get(b.project) ?? 0));
}

function projectNamed(name: string): Project {
  const project = PROJECTS.find((each) => each.name === name);
  if (!project) throw new Error(`there is no project ${name}`);
  return project;
}

async function work(stage: Stage, queue: Case[], outcomes: Outcome[]): Promise<void> {
  for (let played = queue.shift(); played; played = queue.shift()) {
    const project = projectNamed(played.project);
    const missing = missingFor(project);
    const outcome: Outcome = missing
      ? {
          played,
          result: 'not run',
          status: 'not run',
          said: `${missing} is missing (--install)`,
          refused: [],
          gates: [],
          seconds: 0,
        }
      : await stage.play(played, project);
    outcomes.push(outcome);
    tell(outcome);
  }
}

function missingFor({ programs, libraries = [] }: Project): string | undefined {
  return programs.find((name) => !hasProgram(name)) ?? libraries.find((path) => !existsSync(path));
}

function tell({ played, result, status, said, refused, gates, seconds }: Outcome): void {
  const { name, family, project, expect } = played;
  if (values.json) {
    const line = {
      name,
      family,
      project,
      expect,
      result,
      status,
      refused,
      gates,
      seconds: Number(seconds.toFixed(1)),
      said,
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    return;
  }
  process.stderr.write(`${result.padEnd(11)} ${seconds.toFixed(1).padStart(5)} s  ${name} (${status})\n`);
  if (values.verbose) process.stderr.write(`${[...refused, said].join('\n').replaceAll(/^/gm, '    ')}\n`);
}
