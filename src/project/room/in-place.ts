/** A folder as a place for commands, with what test runners can tell. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Shell, ShellCommand } from '../../ports/ports.ts';
import type { Place, TestRun } from '../../ports/rooms.ts';
import { askForReport, collectReports } from '../test-report/ask.ts';

export function inPlace(dir: string, shell: Shell, env: Readonly<Record<string, string | undefined>>): Place {
  return { dir, shell, room: 'project', runTests: (command) => runTests(command, dir, shell, env) };
}

/** `dir` is the folder of all the files; the command may run in a folder below it. */
export async function runTests(
  command: ShellCommand,
  dir: string,
  shell: Shell,
  env: Readonly<Record<string, string | undefined>>,
  temp = tmpdir(),
): Promise<TestRun> {
  const reports = mkdtempSync(join(temp, 'untildone-report-'));
  try {
    const asked = askForReport(command.command, command.cwd, reports, { ...env, ...command.env });
    const result = await shell.run({
      ...command,
      command: asked.command,
      env: { ...command.env, ...asked.env },
    });
    return { result, tests: collectReports(reports, dir, result.stdout) };
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}
