import { appendFileSync, chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLAUDE } from '../../support/live/demo.ts';
import type { Scene } from '../../support/live/scene.ts';
import { sceneOfTest } from '../../support/live/test-scene.ts';
import { must, untildone } from '../../support/live/untildone.ts';

async function doctor(scene: Scene, ...flags: string[]) {
  // Its own folder of programs comes first, with the Claude Code that the tests use.
  const bin = join(scene.root, 'bin');
  mkdirSync(bin, { recursive: true });
  try {
    symlinkSync(CLAUDE, join(bin, 'claude'));
  } catch {
    // It is there.
  }
  const env = { PATH: `${bin}:${process.env.PATH}` };
  // As a process: the program in this process is of another version.
  const { code, stdout } = await untildone(scene, ['doctor', '--json', ...flags], { env, input: '' });
  return { code, report: JSON.parse(stdout) };
}

test('the doctor proves a hold with the real Claude Code, finds by it what no file shows, and mends what it can', async () => {
  const scene = await sceneOfTest({ git: true });
  await must(scene, ['install'], { input: '' });
  const healthy = await doctor(scene);
  expect(healthy.report.findings.filter((each: { severity: string }) => each.severity === 'error')).toEqual(
    [],
  );
  expect(healthy).toMatchObject({ code: 0, report: { healthy: true, proof: { outcome: 'held' } } });

  const settings = join(scene.project, '.claude/settings.json');
  const whole = readFileSync(settings, 'utf8');
  // Claude Code ignores a file with one value of a wrong form; it is JSON all the same, and our hooks are in it.
  writeFileSync(settings, JSON.stringify({ permissions: 5, ...JSON.parse(whole) }));
  expect(await doctor(scene)).toMatchObject({
    code: 1,
    report: { healthy: false, findings: [{ severity: 'note' }], proof: { outcome: 'not_held' } },
  });

  const { Stop: _, ...hooks } = JSON.parse(whole).hooks;
  writeFileSync(settings, JSON.stringify({ ...JSON.parse(whole), hooks }));
  appendFileSync(join(scene.untildoneHome, 'hook.sh'), 'exit 0\n');
  chmodSync(scene.untildoneHome, 0o755);
  const mended = await doctor(scene, '--fix');
  expect(mended.report.mended.map(({ id }: { id: string }) => id).sort()).toEqual([
    'home_open',
    'hooks_incomplete',
    'scripts_stale',
  ]);
  expect(mended).toMatchObject({ code: 0, report: { healthy: true, proof: { outcome: 'held' } } });
});
