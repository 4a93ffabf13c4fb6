import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  DEFAULT_LIMITS,
  type FrozenContract,
  promiseContract,
} from '../../../src/engine/core/contract/contract.ts';
import { createHome, type Home, homeAt, projectFolder } from '../../../src/engine/home/layout.ts';
import { dropStanding, setStanding, standingFiles } from '../../../src/engine/home/trust.ts';
import type { StandingState } from '../../../src/engine/ports/ports.ts';
import { verdict } from '../../support/core/samples.ts';
import { temporaryFolder } from '../../support/files/workers.ts';

let home: Home;
let project: string;
beforeEach(() => {
  const folder = temporaryFolder();
  home = homeAt(join(folder, 'home'));
  createHome(home);
  project = join(folder, 'a project');
  mkdirSync(project);
});

function contract(lists: Partial<FrozenContract['contract']>, of = project): FrozenContract {
  return {
    contract: { ...promiseContract('DONE', DEFAULT_LIMITS), ...lists },
    frozen: { project: of, fingerprint: 'f', parts: {}, gates: {}, judgeMs: 1000 },
  };
}
const guarding = (of = project) => contract({ everyStop: { gates: ['promise'], blocks: 2 } }, of);
const marker = () => join(home.root, 'standing', project, '.on');
const contractFile = (of = project) => join(projectFolder(home, of), 'standing.json');

describe('the contract that guards every session of a project', () => {
  test('is there once a person approved one with standing gates', () => {
    expect(standingFiles(home).contract(project)).toBeUndefined();
    setStanding(home, project, guarding());
    expect(standingFiles(home).contract(project)).toEqual(guarding());
    expect(existsSync(marker())).toBe(true);
  });
  test.each([
    { subagent: { '*': ['promise'] } },
    { taskDone: ['promise'] },
    { teammate: ['promise'] },
    { taskCreated: ['promise'] },
    { prompt: { gates: [], tell: 'x' } },
  ])('also for %j alone', (lists) => {
    setStanding(home, project, contract(lists));
    expect(standingFiles(home).contract(project)).toEqual(contract(lists));
  });
  test('says in its marker whether a Stop is judged, for the script that holds when the hook does not answer', () => {
    setStanding(home, project, guarding());
    expect(readFileSync(marker(), 'utf8')).not.toBe('');
    setStanding(home, project, contract({ taskDone: ['promise'] }));
    expect(readFileSync(marker(), 'utf8')).toBe('');
  });
  test('with tool rules has a second marker only where they speak of tools that change nothing', () => {
    const rules = { dangerous: true, protect: [], hide: [], deny: [], allow: [], rewrite: [] };
    const second = join(home.root, 'standing', project, '.tools');
    setStanding(home, project, contract({ tools: rules }));
    expect([existsSync(marker()), existsSync(second)]).toEqual([true, false]);
    setStanding(home, project, contract({ tools: { ...rules, hide: ['x'] } }));
    expect([existsSync(marker()), existsSync(second)]).toEqual([true, true]);
    setStanding(home, project, contract({ tools: rules }));
    expect(existsSync(second)).toBe(false);
    setStanding(home, project, contract({ tools: { ...rules, hide: ['x'] } }));
    dropStanding(home, project);
    expect([existsSync(marker()), existsSync(second)]).toEqual([false, false]);
  });
  test('is gone with the next approved contract that guards nothing', () => {
    setStanding(home, project, guarding());
    setStanding(home, project, contract({}));
    expect(standingFiles(home).contract(project)).toBeUndefined();
    expect(existsSync(marker())).toBe(false);
    expect(() => setStanding(home, project, contract({}))).not.toThrow();
  });
  test('that somebody else wrote is none', () => {
    setStanding(home, project, guarding());
    const text = readFileSync(contractFile(), 'utf8');
    writeFileSync(contractFile(), text.replace('"blocks":2', '"blocks":0'));
    expect(() => standingFiles(home).contract(project)).toThrow('untildone trust');
    writeFileSync(contractFile(), JSON.stringify(guarding()));
    expect(() => standingFiles(home).contract(project)).toThrow('untildone trust');
  });
  test('of another project, put in its place, is none', () => {
    const other = `${project} 2`;
    mkdirSync(other);
    setStanding(home, project, guarding());
    setStanding(home, other, guarding(other));
    writeFileSync(contractFile(), readFileSync(contractFile(other)));
    expect(() => standingFiles(home).contract(project)).toThrow('untildone trust');
    expect(standingFiles(home).contract(other)).toEqual(guarding(other));
  });
});

describe('what is remembered of a session', () => {
  const state: StandingState = { promptId: 'p1', blocks: 1, guarded: { 'task 1': 2 }, settledTree: 't1' };
  const stateFile = (session: string) => join(home.sessions, `${session}.standing`);

  test('is nothing at first, and then what was written', () => {
    const standing = standingFiles(home);
    expect(standing.read('s1')).toEqual({ blocks: 0, guarded: {} });
    standing.write('s1', state);
    expect(standingFiles(home).read('s1')).toEqual(state);
    expect(standing.read('s2')).toEqual({ blocks: 0, guarded: {} });
  });
  test('that was changed, or is that of another session, is nothing', () => {
    const standing = standingFiles(home);
    standing.write('s1', state);
    writeFileSync(stateFile('s2'), readFileSync(stateFile('s1')));
    expect(standing.read('s2')).toEqual({ blocks: 0, guarded: {} });
    writeFileSync(stateFile('s1'), readFileSync(stateFile('s1'), 'utf8').replace('"blocks":1', '"blocks":9'));
    expect(standing.read('s1')).toEqual({ blocks: 0, guarded: {} });
    writeFileSync(stateFile('s1'), '');
    expect(standing.read('s1')).toEqual({ blocks: 0, guarded: {} });
  });
  test('an id that could climb names no file', () => {
    const standing = standingFiles(home);
    standing.write('../../x', state);
    expect(standing.read('../../x')).toEqual({ blocks: 0, guarded: {} });
    expect(existsSync(join(home.root, '..', 'x.standing'))).toBe(false);
  });
});

test('verdicts are kept for all sessions of a project, beside those of its loops', () => {
  standingFiles(home)
    .cache(project)
    .keep([{ inputs: 'i', verdict: verdict('pass') }]);
  expect(standingFiles(home).cache(project).find('tests', 'i')?.outcome).toBe('pass');
  expect(standingFiles(home).cache(home.root).find('tests', 'i')).toBeUndefined();
  expect(standingFiles(home).outputDir(project)).toBe(join(projectFolder(home, project), 'standing-output'));
});
