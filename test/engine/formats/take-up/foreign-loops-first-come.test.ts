import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ForeignLoop, StateFormat } from '../../../../src/engine/formats/format.ts';
import { claimFiles } from '../../../../src/engine/home/claims.ts';
import { foreignScene } from '../../../support/hook/foreign-scene.ts';
import { messageOf, reasonOf } from '../../../support/hook/hook-scene.ts';

/** A format of one word: nobody is named in it. */
function wordFormat(changes: Partial<ForeignLoop> = {}): StateFormat {
  const path = ({ folder }: { folder: string }) => `${folder}/word`;
  return {
    name: 'lock',
    path,
    read: (place, files) => {
      const file = files.read(path(place));
      if (file.kind !== 'text') return file;
      const loop: ForeignLoop = {
        identity: file.text,
        claimedBy: 'first',
        task: file.text,
        firstIteration: 1,
        maxIterations: 50,
        limits: {},
        gates: {},
        notes: [],
        judge: () => [
          { gate: 'word', kind: 'lock', class: 'claimed', outcome: 'fail', summary: 'still there' },
        ],
        renews: () => false,
        instruct: () => ({ reason: 'go on' }),
        writeBack: () => [],
        ...changes,
      };
      return { kind: 'loop', loop };
    },
  };
}

describe('a state for whoever comes first', () => {
  function scene(changes: Partial<ForeignLoop> = {}) {
    const made = foreignScene({}, [wordFormat(changes)]);
    made.write('word', 'work');
    return made;
  }
  test('is claimed by a Stop, not by other events', async () => {
    const made = scene();
    await made.hook({ name: 'SessionStart', source: 'startup', session: 's1' });
    await made.hook({ name: 'UserPromptSubmit', prompt: 'go', session: 's1' });
    expect(made.states()).toEqual([]);
    expect((await made.stopOf('s2')).kind).toBe('refuse');
    expect((await made.stopOf('s1')).kind).toBe('silence');
    expect(made.states()).toMatchObject([{ session: 's2', iteration: 2 }]);
  });
  test('of two sessions that stop at once, one gets it', async () => {
    const made = scene();
    const kinds = await Promise.all(['s1', 's2', 's3'].map(async (s) => (await made.stopOf(s)).kind));
    expect(kinds.sort()).toEqual(['refuse', 'silence', 'silence']);
    expect(made.states()).toHaveLength(1);
  });
  test('goes to the next one when its owner has ended, with its count', async () => {
    const made = scene();
    await made.stopOf('s1');
    await made.hook({ name: 'SessionEnd', reason: 'clear', session: 's1' });
    expect(reasonOf(await made.stopOf('s2'))).toBe('go on');
    expect(made.states()).toMatchObject([{ session: 's2', iteration: 3 }]);
    expect((await made.stopOf('s1')).kind).toBe('silence');
  });
  test('a subagent claims nothing', async () => {
    const made = scene();
    await made.stopOf('s1', { agentId: 'a1' });
    expect(made.states()).toEqual([]);
  });
  test('that asks for nothing is not taken up', async () => {
    const made = scene({ rest: 'complete' });
    expect((await made.stopOf('s1')).kind).toBe('silence');
    expect(made.states()).toEqual([]);
  });
  test('whose time is over ends as having reached its limit', async () => {
    const changes: Partial<ForeignLoop> = {};
    const made = foreignScene({}, [{ ...wordFormat(), read: (p, f) => wordFormat(changes).read(p, f) }]);
    made.write('word', 'work');
    await made.stopOf('s1');
    Object.assign(changes, { expired: true, rest: 'older than a day' });
    expect(messageOf(await made.stopOf('s1'))).toContain('older than a day');
    expect(made.states()).toMatchObject([{ status: 'reached_limit', ending: { cause: 'expired' } }]);
    expect((await made.stopOf('s1')).kind).toBe('silence');
  });
  test('whose time was over before it held anybody says so: it looks as if it held', async () => {
    const made = scene({ expired: true, rest: 'older than a day' });
    expect(messageOf(await made.stopOf('s1'))).toContain('lock holds no session');
    expect(made.states()).toEqual([]);
  });
  test('what came with the repository holds nobody before a person says so', async () => {
    const made = scene();
    const tracked = { exitCode: 0, stdout: 'word\0', stderr: '' };
    const workspace = made.judges.workspace(made.project);
    made.judges.workspace = () => ({ ...workspace, git: async () => tracked });
    expect(messageOf(await made.stopOf('s1'))).toContain('untildone claim lock');
    expect(made.states()).toEqual([]);
    expect(claimFiles(made.home).of(join(made.project, 'word'))).toBeUndefined();
  });
});
