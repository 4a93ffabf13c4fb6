import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contractScene, git } from '../../support/live/contract.ts';
import { branchOf, builds, familyOf, kinds, listOf, withRemote } from '../../support/live/parallel.ts';
import { startRun } from '../../support/live/run.ts';
import type { Scene } from '../../support/live/scene.ts';
import { journalOf } from '../../support/live/untildone.ts';
import { longTest } from '../../support/long.ts';

const MODEL = ['--model', 'claude-sonnet-4-5', '--allow', 'Bash'];

function project(...names: string[]): Promise<Scene> {
  const features = names.map((name, index) => ({
    id: index + 1,
    description: `there is a file ${name}`,
    passes: false,
    verify: `test -f ${name}`,
  }));
  return contractScene({
    'untildone.yaml': 'gates:\n  features: { features: features.json }\n',
    'features.json': listOf(features),
    '.gitignore': '.claude/\n',
  });
}

const SCRIPT = { rules: [...builds(1, 'touch one'), ...builds(2, 'touch two')] };

/** A program named gh whose service merges for real, and refuses what conflicts. */
function mergingGh({ root }: Scene, remote: string): { env: Record<string, string>; calls(): string[] } {
  const [bin, log] = [join(root, 'bin'), join(root, 'gh-calls')];
  mkdirSync(bin);
  writeFileSync(log, '');
  writeFileSync(
    join(bin, 'gh'),
    `#!/bin/sh
branch=$(git branch --show-current)
echo "$1 $2 $branch" >> '${log}'
case "$1 $2" in
  "pr create") cat > /dev/null; echo "https://github.com/someone/project/pull/$(echo "$branch" | cksum | cut -d' ' -f1)" ;;
  "pr merge")
    until mkdir '${root}/merging' 2> /dev/null; do sleep 0.1; done
    trap "rmdir '${root}/merging'" EXIT
    clone=$(mktemp -d)
    git clone --quiet '${remote}' "$clone" && cd "$clone" &&
      git -c user.name=service -c user.email=service@example.com merge --quiet --no-ff --no-edit "origin/$branch" &&
      git push --quiet origin HEAD:main || { echo 'it conflicts' >&2; exit 1; } ;;
esac
`,
  );
  chmodSync(join(bin, 'gh'), 0o755);
  const calls = () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('pr '));
  return { env: { PATH: `${bin}:${process.env.PATH}` }, calls };
}

const onRemote = (scene: Scene) => {
  git(scene, 'fetch', '--quiet', 'origin');
  const files = git(scene, 'ls-tree', '--name-only', 'origin/main').trim().split('\n');
  const list = JSON.parse(git(scene, 'show', 'origin/main:features.json'));
  return { files, passes: list.map((feature: { passes: boolean }) => feature.passes) };
};

test('--pr --merge one after the other: each begins where the one before it was merged', async () => {
  const scene = await project('one', 'two');
  const gh = mergingGh(scene, withRemote(scene));
  const flags = ['Build it all', '--parallel', '1', '--pr', '--merge', ...MODEL];
  const run = await startRun(scene, flags, SCRIPT, gh.env).ended;
  expect({ code: run.code, stderr: run.stderr }, run.stdout).toEqual({ code: 0, stderr: '' });
  const { parent, children } = await familyOf(scene);
  expect(gh.calls().filter((call) => call.startsWith('pr merge'))).toEqual(
    children.toReversed().map(({ id }) => `pr merge ${branchOf(scene, id)}`),
  );
  expect(onRemote(scene)).toMatchObject({
    files: expect.arrayContaining(['one', 'two']),
    passes: [true, true],
  });
  // Nothing had to be brought together: there is no pull request of the run itself.
  expect(gh.calls().join('\n')).not.toContain(branchOf(scene, parent.id));
  expect(git(scene, 'worktree', 'list').trim().split('\n')).toHaveLength(2);
});

longTest(
  '--pr --merge: what the service cannot merge, because the list conflicts, comes with the whole',
  async () => {
    const scene = await project('one', 'two');
    const gh = mergingGh(scene, withRemote(scene));
    const flags = ['Build it all', '--parallel', '2', '--pr', '--merge', ...MODEL];
    const run = await startRun(scene, flags, SCRIPT, gh.env).ended;
    expect({ code: run.code, stderr: run.stderr }, run.stdout).toEqual({ code: 0, stderr: '' });
    expect(run.stdout).toContain('Not merged, although the checks passed');
    const { parent } = await familyOf(scene);
    expect(gh.calls()).toContain(`pr merge ${branchOf(scene, parent.id)}`);
    expect(kinds(await journalOf(scene, parent.id), 'intent')).toEqual([]);
    expect(onRemote(scene)).toMatchObject({
      files: expect.arrayContaining(['one', 'two']),
      passes: [true, true],
    });
  },
);
