import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { requireInEsm } from '../../../../scripts/esm-require.mjs';
import { isLong } from '../../../support/long.ts';
import {
  commit,
  EMPTY_TREE,
  expectedTree,
  pathsOf,
  type Scene,
  scene,
  write,
} from '../../../support/project/project-scene.ts';

const AT_ONCE = isLong ? 8 : 4;

describe('many at once, and killed ones', () => {
  /** A program that opens the workspace of a scene in a process of its own and prints a tree. */
  async function program(folder: string): Promise<string> {
    const outfile = join(folder, 'tree.mjs');
    await build({
      stdin: {
        contents: `import { openWorkspace } from './workspace.ts';
          const [project, shadowDir, indexFile] = process.argv.slice(2);
          console.log(await openWorkspace({ project, shadowDir, indexFile }).tree());`,
        resolveDir: fileURLToPath(new URL('../../../../src/engine/project/trees', import.meta.url)),
      },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: requireInEsm(),
      logLevel: 'error',
    });
    chmodSync(folder, 0o755);
    return outfile;
  }

  function run(file: string, { project, shadowDir, indexFile }: Scene, owner = {}): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [file, project, shadowDir, indexFile], {
        stdio: 'pipe',
        ...owner,
      });
      let output = '';
      child.stdout.on('data', (chunk) => (output += chunk));
      child.stderr.on('data', (chunk) => (output += chunk));
      child.on('error', reject);
      child.on('close', () => resolve(output.trim()));
    });
  }

  test(`${AT_ONCE} processes find the same tree, from the very first call on`, async () => {
    const place = scene();
    for (let i = 0; i < 300; i++) write(place.project, `d${i % 10}/f${i}.ts`, `content ${i}`);
    const file = await program(place.folder);
    const trees = await Promise.all(Array.from({ length: AT_ONCE }, () => run(file, place)));
    expect(trees).toEqual(Array(AT_ONCE).fill(await place.workspace.tree()));
    write(place.project, 'd1/new.ts', 'new');
    const later = await Promise.all(Array.from({ length: AT_ONCE }, () => run(file, place)));
    commit(place.project);
    expect(later).toEqual(Array(AT_ONCE).fill(expectedTree(place.project)));
    expect(readdirSync(dirname(place.indexFile)).sort()).toEqual(['index', 'index.settled', 'shadow']);
  });

  test('eight calls in one process do not disturb each other', async () => {
    const { project, workspace } = scene();
    write(project, 'a.ts', 'a');
    const trees = await Promise.all(Array.from({ length: 8 }, () => workspace.tree()));
    expect(new Set(trees).size).toBe(1);
  });

  test('what a killed call left behind is in nobody’s way', async () => {
    const { project, workspace, indexFile, shadowDir } = scene();
    write(project, 'a.ts', 'a');
    const before = await workspace.tree();
    for (const name of [
      `${indexFile}.lock`,
      `${indexFile}.77-0123abcd.lock`,
      join(shadowDir, 'index.lock'),
    ]) {
      writeFileSync(name, 'half');
    }
    write(project, 'b.ts', 'b');
    const after = await workspace.tree();
    expect(await workspace.changes(before, after)).toEqual([{ path: 'b.ts', change: 'added' }]);
  });

  test('a broken or lost index is made anew', async () => {
    const { project, workspace, indexFile } = scene();
    write(project, 'a.ts', 'a');
    const tree = await workspace.tree();
    writeFileSync(indexFile, 'this is no index');
    expect(await workspace.tree()).toBe(tree);
    rmSync(indexFile);
    expect(await workspace.tree()).toBe(tree);
  });

  test('so is that of an empty project', async () => {
    const { workspace, indexFile } = scene();
    expect(await workspace.tree()).toBe(EMPTY_TREE);
    writeFileSync(indexFile, 'this is no index');
    expect(await workspace.tree()).toBe(EMPTY_TREE);
  });

  test('a shadow that was deleted while its index was not is made anew, with all it had', async () => {
    const { project, workspace, shadowDir } = scene({ git: false });
    write(project, 'a.ts', 'a');
    const tree = await workspace.tree();
    rmSync(shadowDir, { recursive: true });
    expect(await workspace.tree()).toBe(tree);
    expect(await workspace.contentAt(tree, 'a.ts')).toBe('a');
  });

  test('files and folders that may not be read are left out, and stay out', async () => {
    const place = scene({ git: false });
    const { folder, project } = place;
    write(project, 'a.ts', 'a');
    write(project, 'secret.ts', 'first readable');
    write(project, 'data/rows', 'first readable');
    const file = await program(folder);
    // Root may read everything: let somebody else look.
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    mkdirSync(join(folder, 'home'));
    chmodSync(project, 0o777);
    chmodSync(join(folder, 'home'), 0o777);
    await run(file, place, nobody);
    chmodSync(join(project, 'secret.ts'), 0o000);
    chmodSync(join(project, 'data'), 0o000);
    const tree = await run(file, place, nobody);
    rmSync(place.indexFile);
    const again = await run(file, place, nobody);
    chmodSync(join(project, 'data'), 0o700);
    expect(again).toBe(tree);
    expect(await pathsOf(place.workspace, tree)).toEqual(['a.ts']);
  });

  test('without git on PATH it says so', async () => {
    const { workspace, folder } = scene();
    vi.stubEnv('PATH', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(workspace.tree()).rejects.toThrow(/install git/);
  });

  test('without the project’s folder it says so', async () => {
    const { workspace, project } = scene();
    rmSync(project, { recursive: true });
    await expect(workspace.tree()).rejects.toThrow(/no folder/);
  });
});
