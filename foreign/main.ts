import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { keepRow, keptRows, rowFor } from './kept.ts';
import { playOne } from './one.ts';
import type { Row } from './row.ts';
import { shapesAt } from './shapes/all.ts';
import type { Source } from './source.ts';
import { SOURCES } from './sources/all.ts';
import { closingLine, details, table } from './table.ts';

const HELP = `Usage: npm run foreign -- --from DIR [options]

Plays public projects, and shapes of projects that we make, against the built program: a newcomer's setup, a commit of
their own history, and a cheat. Nothing is downloaded but what the projects themselves install.

Options:
  --from DIR       folder of clones; for a project that is not there, the line that clones it is printed
  --only TEXT      only projects whose name or kind holds this: uuid, go, made/
  --scale N        size of the projects that we make; 0.1 is a tenth (1)
  --resume FILE    keep finished rows in this file, and do not play them again
  --minutes N      longest time for one project (20)
  --json           print JSON lines, one a project
  --keep           keep the temporary folder, and say where it is
`;

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    only: { type: 'string', default: '' },
    scale: { type: 'string', default: '1' },
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
  const { resume, keep } = values;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-foreign-')));
  const playing = { clones, folder, program: builtCommit(), minutes: positive(values.minutes, 20), keep };
  const kept = resume === undefined ? [] : keptRows(resume);
  const rows: Row[] = [];
  try {
    for (const source of chosen()) {
      const before = rowFor(source, kept);
      const row = before ?? (await playOne(source, playing));
      rows.push(row);
      if (resume !== undefined && row !== before) keepRow(resume, row);
      tell(row);
    }
  } finally {
    if (keep) process.stderr.write(`kept: ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true });
  }
  if (!values.json)
    process.stdout.write(`\n${[...table(rows), '', ...details(rows), '', closingLine(rows)].join('\n')}\n`);
}

/** The last commit of what a build reads: a change of anything else is no other program. */
function builtCommit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', [...args, '--', 'src', 'scripts', 'package-lock.json'], { encoding: 'utf8' }).trim();
  const isChanged = git('status', '--porcelain') !== '';
  return git('rev-list', '-1', '--abbrev-commit', '--abbrev=12', 'HEAD') + (isChanged ? '-dirty' : '');
}

function chosen(): Source[] {
  const { only } = values;
  const all = [...SOURCES, ...shapesAt(positive(values.scale, 1))];
  return all.filter(({ name, ecosystem }) => name.includes(only) || ecosystem === only);
}

function positive(text: string, otherwise: number): number {
  const count = Number(text);
  return count > 0 ? count : otherwise;
}

function tell(row: Row): void {
  if (values.json) process.stdout.write(`${JSON.stringify(row)}\n`);
  else {
    const why = row.why === undefined ? '' : `: ${row.why}`;
    process.stderr.write(`${row.result.padEnd(10)} ${row.name}${why}\n`);
  }
}
