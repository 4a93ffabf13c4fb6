import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { besideRun } from '../../../../src/engine/run/begin/warn-other-loops.ts';
import { foreignScene, RALPH, ralph } from '../../../support/hook/foreign-scene.ts';
import { contractWith, run } from '../../../support/hook/judging.ts';

const FOLDER = '.claude/data/ralph-loops/current';
const LIST = `${FOLDER}/feature_list.json`;
const features = (passes: boolean) => JSON.stringify({ features: [{ id: 1, passes }] });
const CONTRACT = contractWith({ tests: run() });

function scene(files: Record<string, string>) {
  const made = foreignScene();
  for (const [path, text] of Object.entries(files)) made.write(path, text);
  const { home, store, project, ports } = made;
  const env = { HOME: dirname(project) };
  const beside = (contract = CONTRACT, more: NodeJS.ProcessEnv = {}) =>
    besideRun(contract, { home, store, project, clock: ports.clock, env: { ...env, ...more } });
  return { ...made, beside };
}

describe('what lies beside a run', () => {
  test('an open feature list is named, with the command that runs it', () => {
    expect(scene({ [LIST]: features(false) }).beside()).toEqual([
      `${FOLDER} holds an open feature list; this run does not work on it. ` +
        `To run it: untildone run 'Make every feature pass' --features ${LIST}`,
    ]);
    const prompt = `${FOLDER}/RALPH_PROMPT.md`;
    expect(scene({ [LIST]: features(false), [prompt]: 'Build it.' }).beside()[0]).toContain(
      `untildone run --prompt-file ${prompt} --features ${LIST}`,
    );
  });
  test('the list that RALPH_LOOP_DIR names', () => {
    const made = scene({ 'my plans/feature_list.json': features(false) });
    expect(made.beside(CONTRACT, { RALPH_LOOP_DIR: 'my plans' })[0]).toContain(
      "--features 'my plans/feature_list.json'",
    );
  });
  test('nothing is said of the list that the run works on', () => {
    const contract = contractWith({ features: { kind: 'features', options: { file: LIST } } });
    expect(scene({ [LIST]: features(false) }).beside(contract)).toEqual([]);
  });
  test('nothing is said of what asks for nothing, cannot be read or names its session', () => {
    expect(scene({}).beside()).toEqual([]);
    expect(scene({ [LIST]: features(true) }).beside()).toEqual([]);
    expect(scene({ [LIST]: '{' }).beside()).toEqual([]);
    expect(scene({ [RALPH]: ralph() }).beside()).toEqual([]);
  });
  test('nothing is said of a list that another session works on, until that is gone', async () => {
    const made = scene({ [LIST]: features(false) });
    mkdirSync(made.home.sessions, { recursive: true });
    const record = join(made.home.sessions, 's1.at');
    writeFileSync(record, `${made.project}\n${process.pid}\n`);
    expect((await made.stopOf('s1')).kind).toBe('refuse');
    expect(made.beside()).toEqual([]);
    // No process has such a number.
    writeFileSync(record, `${made.project}\n999999999\n`);
    expect(made.beside()).toHaveLength(1);
  });
  test('a state without a session is named, too', () => {
    expect(scene({ [RALPH]: ralph({ session_id: '' }) }).beside()).toEqual([
      `${RALPH} (ralph-loop) waits for a session; it does not hold the sessions of this run.`,
    ]);
  });
});
