import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach } from 'vitest';
import { importFrom, undoImport } from '../../../src/cli/import/import.ts';
import type { ImportOptions, ImportResult } from '../../../src/cli/import/report.ts';
import { parseContract } from '../../../src/engine/contract/read.ts';
import { createHome, homeAt, realPath } from '../../../src/engine/home/layout.ts';
import { openPorts } from '../../../src/engine/hook/wiring/ports.ts';
import type { ProjectPorts } from '../../../src/engine/hook/wiring/project-ports.ts';
import * as judgeBundle from '../../../src/main/judge.ts';
import { temporaryFolder } from '../files/workers.ts';

let root = '';
let worldOfTest: ProjectPorts;
let answers: Record<string, boolean> = {};

/** What the command said and what it asked. */
export const lines: string[] = [];
export const questions: string[] = [];

/** A project in the home of a person, fresh for every test of a file; the person says yes to everything. */
export function useImportScene(): void {
  beforeEach(() => {
    root = realPath(temporaryFolder());
    const home = homeAt(join(root, 'untildone'));
    createHome(home);
    const project = join(root, 'project');
    mkdirSync(project);
    const env = { PATH: process.env.PATH, HOME: root, CLAUDE_PROJECT_DIR: project };
    worldOfTest = { ...openPorts(home, env, async () => judgeBundle), home, project, env };
    lines.length = 0;
    questions.length = 0;
    answers = {};
  });
}

/** The home of the person. */
export const folder = () => root;
export const world = () => worldOfTest;

/** What the person answers from now on, by what the question holds; everything else is a yes. */
export function answering(changed: Record<string, boolean>): void {
  answers = changed;
}

export const path = (name: string) => join(worldOfTest.project, name);
export const read = (name: string) => readFileSync(path(name), 'utf8');
export const write = (name: string, text: string) => {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), text);
};
export const said = () => lines.join('\n');

const io = {
  out: (line: string) => void lines.push(line),
  ask: async (question: string) => {
    questions.push(question);
    const known = Object.keys(answers).find((words) => question.includes(words));
    return known === undefined ? true : (answers[known] ?? true);
  },
};

export function imported(
  from: ImportOptions['from'],
  more: Partial<ImportOptions> = {},
): Promise<ImportResult> {
  lines.length = 0;
  const options = { dryRun: false, yes: false, keepHooks: false, terminal: true, ...more };
  return importFrom({ ...(from ? { from } : {}), ...options }, worldOfTest, io);
}

export const undo = (terminal = true) => {
  lines.length = 0;
  return undoImport(terminal, worldOfTest, io);
};

/** Everything below a folder, with its bytes. */
export function snapshot(below: string): Record<string, string> {
  const names = readdirSync(below, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names.flatMap((name) => {
      const stat = lstatSync(join(below, name));
      if (stat.isSymbolicLink()) return [[name, `-> ${readlinkSync(join(below, name))}`]];
      return stat.isFile()
        ? [[name, `${stat.mode.toString(8)} ${readFileSync(join(below, name), 'latin1')}`]]
        : [];
    }),
  );
}

export function contract() {
  const result = parseContract(read('untildone.yaml'), 'untildone.yaml');
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.contract;
}
