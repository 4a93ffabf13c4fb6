import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PersonCommand } from '../../../src/engine/core/loop/entry.ts';
import { holdLock } from '../../../src/engine/files/lock.ts';
import { createHome, driverLock, homeAt } from '../../../src/engine/home/layout.ts';
import { openPorts } from '../../../src/engine/hook/wiring/ports.ts';
import { pauseResumeCancelRelease } from '../../../src/engine/run/person/pause-resume-cancel-release.ts';
import * as judgeBundle from '../../../src/main/judge.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { contractWith, frozenWith, run } from '../../support/hook/judging.ts';

function scene(of: { run?: { mode: 'hybrid' } }) {
  const folder = temporaryFolder();
  const home = homeAt(join(folder, 'home'));
  createHome(home);
  const project = join(folder, 'project');
  mkdirSync(project);
  const { store } = openPorts(home, { HOME: folder }, async () => judgeBundle);
  const ref = store.create({
    loop: 'l1',
    session: 's1',
    project,
    dialect: 'native',
    task: 'a task',
    transcriptOffset: 0,
    ...of,
    contract: frozenWith(contractWith({ tests: run() }), { project, fingerprint: '' }),
  });
  const give = (command: PersonCommand) => {
    const lines: string[] = [];
    pauseResumeCancelRelease(command, ref, undefined, store, (line) => void lines.push(line));
    return lines.join('\n');
  };
  return { ref, give };
}

test('a loop of a session goes on there', () => {
  const { give } = scene({});
  expect(give('pause')).toContain('go on with: untildone resume l1');
  expect(give('resume')).toContain('held from its next stop on');
});

test('a run goes on with who drives it, and whoever resumes it is told when nobody does', () => {
  const { ref, give } = scene({ run: { mode: 'hybrid' } });
  expect(give('pause')).toContain('go on with: untildone run --resume l1');
  expect(give('resume')).toBe(
    'Loop l1: active again, but no process drives it; go on with: untildone run --resume l1',
  );
  const lock = holdLock(driverLock(ref));
  give('pause');
  expect(give('resume')).toBe('Loop l1: active again.');
  lock?.release();
});
