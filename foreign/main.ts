import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findClone, missingProgram } from './place.ts';
import { play } from './play.ts';
import type { Row } from './row.ts';
import { cloneLine, type Source } from './source.ts';
import { SOURCES } from './sources/all.ts';
import { closingLine, details, table } from './table.ts';

const HELP = `Usage: npm run foreign -- --from DIR [options]

Plays public projects against the built program: a newcomer's setup, a commit of their own history, and a cheat.
Nothing is downloaded but what the projects themselves install.

Options:
  --from DIR       folder of clones; for a project that is not there, the line that clones it is printed
  --only TEXT      only projects whose name or kind holds this
  --resume FILE    keep finished rows in this file, and do not play them again
  --minutes N      longest time for one project (20)
  --json           print JSON lines, one a project
  --keep           keep the temporary folder, and say where it is
`;

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    only: { type: 'string', default: '' },
    resume: { type: 'string' },
    minutes: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help || values.from === undefined) {
  process.stdout.write(HELP);
  process.exitCode = values.help ? 0 : 2;
} else await playAll(resolve(values.from));

async function playAll(clones: string): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-foreign-')));
  const program = execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=12'], {
    encoding: 'utf8',
  });
  const known = new Map(finishedRows().map((row) => [row.name, row]));
  const rows: Row[] = [];
  try {
    for (const source of chosen()) {
      const before = known.get(source.name);
      const row =
        before?.commit === source.commit ? before : await rowOf(source, clones, folder, program.trim());
      rows.push(row);
      if (row !== before) keepRow(row);
      tell(row);
    }
  } finally {
    if (values.keep) process.stderr.write(`kept: ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true });
  }
  if (!values.json)
    process.stdout.write(`\n${[...table(rows), '', ...details(rows), '', closingLine(rows)].join('\n')}\n`);
}

function chosen(): Source[] {
  const { only } = values;
  return SOURCES.filter(({ name, ecosystem }) => name.includes(only) || ecosystem === only);
}

async function rowOf(source: Source, clones: string, folder: string, program: string): Promise<Row> {
  const { name, ecosystem, licence, commit } = source;
  const common = { name, ecosystem, licence, commit, program, at: new Date().toISOString() };
  const clone = findClone(source, clones);
  if (clone === undefined) return { ...common, result: 'not played', why: cloneLine(source, 'DIR') };
  const missing = missingProgram(source);
  if (missing !== undefined) return { ...common, result: 'not played', why: `${missing} is not on PATH` };
  const root = join(folder, name.replace('/', '+'));
  const limits = { seconds: Math.max(1, Number(values.minutes) || 20) * 60 };
  const row = { ...common, ...(await play(source, clone, root, limits)) };
  if (!values.keep) rmSync(root, { recursive: true, force: true });
  return row;
}

/** The last row of each project that was played to its end. */
function finishedRows(): Row[] {
  const { resume } = values;
  if (resume === undefined || !existsSync(resume)) return [];
  const lines = readFileSync(resume, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Row).filter(({ result }) => result === 'played');
}

function keepRow(row: Row): void {
  if (values.resume !== undefined) appendFileSync(values.resume, `${JSON.stringify(row)}\n`);
}

function tell(row: Row): void {
  if (values.json) process.stdout.write(`${JSON.stringify(row)}\n`);
  else
    process.stderr.write(
      `${row.result.padEnd(10)} ${row.name}${row.why === undefined ? '' : `: ${row.why}`}\n`,
    );
}
