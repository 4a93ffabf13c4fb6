import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../../src/engine/files/digest.ts';
import { openWorkspace } from '../../../src/engine/project/trees/workspace.ts';
import type { Refs } from '../../../src/fleet/remote/remote-runs.ts';
import { files, gitIn, remoteScene, submitted } from '../../support/fleet/remote-scene.ts';
import { rounds } from '../../support/long.ts';

const FILES = {
  'a.txt': 'one\n',
  'd/b.txt': 'two\n',
  'd/e/c.txt': 'three\n',
  'run.bat': 'echo\n',
  'auto.txt': 'auto\n',
  '.gitattributes': '*.bat text eol=crlf\nauto.txt text=auto\n*.bin filter=lfs -text\n$id.txt ident\n',
  '.gitignore': 'ignored/\n*.log\n',
  'kept.log': 'tracked although ignored\n',
  '$id.txt': '$Id$\n',
};

/** Two machines, each with a checkout, and the way of a workspace from the first to the second. */
async function pair(given: Record<string, string> = FILES) {
  const { folder, remote, machine } = remoteScene(given);
  const side = async (name: string) => {
    const remoteRuns = machine(name);
    const tree = join(folder, name, 'tree');
    await remoteRuns.checkout(remote.first, tree);
    const workspace = openWorkspace({
      project: tree,
      shadowDir: join(folder, name, 'shadow'),
      indexFile: join(folder, name, 'index'),
    });
    return { remoteRuns, tree, workspace };
  };
  const [from, to] = [await side('from'), await side('to')];
  let refs: Refs = await submitted(from.remoteRuns, remote.first);
  const carry = async (branch = 'untildone/x') => {
    const snapshot = await from.remoteRuns.snapshot(from.tree);
    const work = snapshot.commit;
    const publication = { run: 'run-1', expected: refs, files: files('x'), work, message: 'x' };
    refs = await from.remoteRuns.publish(publication, from.tree);
    await to.remoteRuns.restore(to.tree, work, branch);
    return snapshot;
  };
  return { folder, remote, from, to, carry };
}

const put = (tree: string, path: string | Buffer, text: string | Buffer) => {
  if (typeof path === 'string') mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(
    typeof path === 'string' ? join(tree, path) : Buffer.concat([Buffer.from(`${tree}/`), path]),
    text,
  );
};

test('a workspace arrives as it was: odd names, links, modes, line endings, what was staged and what was not', async () => {
  const { from, to, carry } = await pair();
  const { tree } = from;
  expect(readFileSync(join(tree, 'run.bat'), 'utf8')).toBe('echo\r\n');
  const clean = await from.remoteRuns.snapshot(tree);
  expect(clean).toEqual({ commit: clean.head, head: clean.head, leftOut: [] });

  put(tree, 'with blank "quote" \\ and\nbreak', 'x');
  put(tree, Buffer.from([0x6c, 0xe9, 0xff]), 'not UTF-8');
  put(tree, '-rf', 'x');
  put(tree, ':(top)x', 'x');
  put(tree, 'auto.txt', 'auto\r\n');
  // The bytes of the commit, which a checkout would not write.
  put(tree, 'run.bat', 'echo\n');
  put(tree, 'new.bat', 'one\r\ntwo\n');
  put(tree, '$id.txt', '$Id: 123 $\n');
  put(tree, 'tool.sh', '#!/bin/sh\n');
  chmodSync(join(tree, 'tool.sh'), 0o755);
  chmodSync(join(tree, 'a.txt'), 0o755);
  symlinkSync('a.txt', join(tree, 'link'));
  symlinkSync('/nowhere', join(tree, 'broken'));
  rmSync(join(tree, 'd'), { recursive: true });
  put(tree, 'd', 'a file in place of a folder');
  put(tree, 'staged.txt', 'staged');
  gitIn(tree, 'add', 'staged.txt');
  put(tree, 'forced.log', 'staged although ignored');
  gitIn(tree, 'add', '--force', 'forced.log');
  put(tree, 'kept.log', 'changed although ignored');
  put(tree, 'ignored/big', 'not part of it');
  put(tree, 'plain.log', 'not part of it');
  put(tree, 'gone.txt', 'staged and removed again');
  gitIn(tree, 'add', 'gone.txt');
  rmSync(join(tree, 'gone.txt'));
  const before = { index: gitIn(tree, 'ls-files', '-s'), status: gitIn(tree, 'status', '--porcelain', '-z') };

  // What a setup made on the other machine, and an older workspace, is in the way.
  put(to.tree, 'left over', 'x');
  put(to.tree, 'tool.sh/in/the/way', 'x');
  put(to.tree, 'ignored/installed', 'x');
  put(to.tree, '.env', 'MADE=by setup');
  put(to.tree, 'a.txt', 'changed by setup');

  const { leftOut, head } = await carry();
  expect(leftOut).toEqual([]);
  expect(gitIn(tree, 'ls-files', '-s')).toBe(before.index);
  expect(gitIn(tree, 'status', '--porcelain', '-z')).toBe(before.status);
  expect(readFileSync(join(to.tree, '.env'), 'utf8')).toBe('MADE=by setup');
  rmSync(join(to.tree, '.env'));
  expect(await to.workspace.tree()).toBe(await from.workspace.tree());
  expect(readlinkSync(join(to.tree, 'link'))).toBe('a.txt');
  expect(existsSync(join(to.tree, 'ignored/installed'))).toBe(true);
  expect(existsSync(join(to.tree, 'ignored/big'))).toBe(false);
  expect(existsSync(join(to.tree, 'left over'))).toBe(false);
  expect(gitIn(to.tree, 'rev-parse', 'HEAD')).toBe(head);
  expect(gitIn(to.tree, 'symbolic-ref', '--short', 'HEAD')).toBe('untildone/x');
  const again = await to.remoteRuns.snapshot(to.tree);
  expect(gitIn(to.tree, 'rev-parse', `${again.commit}^{tree}`)).toBe(
    gitIn(tree, 'rev-parse', `${(await from.remoteRuns.snapshot(tree)).commit}^{tree}`),
  );
});

test('secrets, large files, other repositories and submodules with work in them stay out, and are named', async () => {
  const { from, to, carry } = await pair({
    ...FILES,
    '.env.tracked': 'A=1\n',
    'config.ts': "const key = 'AKIAQ7RZT5WLKM2NB4XC';\n",
  });
  const { tree } = from;
  const key = ['ghp', 'a8Kd03JfLq9ZxWv7RtYb2NcM5PsEu1HgTi4O'].join('_');
  const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';
  put(tree, '.env', 'A=1');
  put(tree, 'deploy/.env.production', 'A=1');
  put(tree, '.env.example', 'A=');
  put(tree, '.env.tracked', 'A=2\n');
  put(tree, 'keys/id_ed25519', 'x');
  put(tree, 'notes.md', `use ${key}\n`);
  put(tree, 'a.txt', `one\n${key}\n`);
  put(tree, 'config.ts', "const key = 'AKIAQ7RZT5WLKM2NB4XC';\nconst more = 1;\n");
  put(tree, 'server.pem', `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`);
  put(tree, 'large.dat', '');
  truncateSync(join(tree, 'large.dat'), 101 * 1024 * 1024);
  mkdirSync(join(tree, 'nested'));
  gitIn(join(tree, 'nested'), 'init', '--quiet');
  put(tree, 'nested/x', 'x');
  mkdirSync(join(tree, 'nested-committed'));
  gitIn(join(tree, 'nested-committed'), 'init', '--quiet');
  gitIn(join(tree, 'nested-committed'), 'commit', '--quiet', '--allow-empty', '-m', 'x');
  const { leftOut, commit } = await carry();
  expect(leftOut).toEqual(
    [
      ...['.env', 'a.txt', 'deploy/.env.production', 'keys/id_ed25519', 'large.dat'],
      ...['nested-committed/', 'nested/', 'notes.md', 'server.pem'],
    ].sort(),
  );
  expect(gitIn(to.tree, 'status', '--porcelain')).toBe(' M .env.tracked\n M config.ts\n?? .env.example');
  expect(gitIn(tree, 'show', `${commit}:a.txt`)).toBe('one');
});

test('a submodule keeps its place, and is named when it moved', async () => {
  const { folder, remote, machine } = remoteScene(FILES);
  const seed = join(folder, 'seed');
  gitIn(folder, 'clone', '--quiet', remote.url, seed);
  gitIn(seed, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', remote.url, 'sub');
  gitIn(seed, 'commit', '--quiet', '-m', 'submodule');
  gitIn(seed, 'push', '--quiet', 'origin', 'HEAD:main');
  const remoteRuns = machine('one');
  const tree = join(folder, 'tree');
  await remoteRuns.checkout(await remoteRuns.resolve('main'), tree);
  expect((await remoteRuns.snapshot(tree)).leftOut).toEqual([]);
  gitIn(tree, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
  const initialised = await remoteRuns.snapshot(tree);
  expect(initialised.commit).toBe(initialised.head);
  gitIn(join(tree, 'sub'), 'commit', '--quiet', '--allow-empty', '-m', 'inside');
  expect((await remoteRuns.snapshot(tree)).leftOut).toEqual(['sub/']);
});

test('work that HEAD does not lead to arrives, too: during a rebase, on another branch, in a stash, without a HEAD', async () => {
  const { from, to, carry } = await pair();
  const { tree } = from;
  const commit = (name: string) => {
    put(tree, name, name);
    gitIn(tree, 'add', name);
    gitIn(tree, 'commit', '--quiet', '-m', name);
    return gitIn(tree, 'rev-parse', 'HEAD');
  };
  gitIn(tree, 'checkout', '--quiet', '-b', 'untildone/x');
  const step = commit('step');
  gitIn(tree, 'checkout', '--quiet', '-b', 'side', 'HEAD^');
  const side = commit('side');
  appendFileSync(join(tree, 'a.txt'), 'stashed\n');
  gitIn(tree, 'stash', '--quiet');
  gitIn(tree, 'checkout', '--quiet', '--detach', 'HEAD^');
  put(tree, 'half', 'of a rebase');
  const detached = await carry();
  expect(await to.workspace.tree()).toBe(await from.workspace.tree());
  expect(gitIn(to.tree, 'rev-parse', 'HEAD', 'side', 'untildone/x-before').split('\n')).toEqual([
    ...[detached.head, side, step],
  ]);
  expect(gitIn(to.tree, 'stash', 'show', '--name-only')).toBe('a.txt');
  gitIn(tree, 'checkout', '--quiet', '--orphan', 'fresh');
  await carry();
  expect(await to.workspace.tree()).toBe(await from.workspace.tree());

  gitIn(tree, 'checkout', '--quiet', '--force', 'untildone/x');
  put(tree, 'a.txt', 'ours\n');
  gitIn(tree, 'commit', '--quiet', '--all', '-m', 'ours');
  gitIn(tree, 'checkout', '--quiet', 'side');
  put(tree, 'a.txt', 'theirs\n');
  gitIn(tree, 'commit', '--quiet', '--all', '-m', 'theirs');
  expect(() => gitIn(tree, 'merge', 'untildone/x')).toThrow();
  await carry('side');
  expect(await to.workspace.tree()).toBe(await from.workspace.tree());
  expect(readFileSync(join(to.tree, 'a.txt'), 'utf8')).toContain('<<<<<<<');
});

test('pointers of LFS stay pointers, and content that was fetched for them is no change', async () => {
  const content = 'the large content';
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256(content)}\nsize ${content.length}\n`;
  const { from, to, carry } = await pair({ ...FILES, 'x.bin': pointer, 'y.bin': pointer });
  expect(readFileSync(join(from.tree, 'x.bin'), 'utf8')).toBe(pointer);
  put(from.tree, 'x.bin', content);
  const fetched = await from.remoteRuns.snapshot(from.tree);
  expect(fetched.commit).toBe(fetched.head);
  put(from.tree, 'y.bin', 'changed content');
  await carry();
  expect(readFileSync(join(to.tree, 'x.bin'), 'utf8')).toBe(pointer);
  expect(readFileSync(join(to.tree, 'y.bin'), 'utf8')).toBe('changed content');
});

test('a file that became executable, or no longer is, arrives so with the bytes that it had', async () => {
  const content = 'the large content';
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256(content)}\nsize ${content.length}\n`;
  const { from, to, carry } = await pair({ ...FILES, 'x.bin': pointer });
  put(from.tree, 'x.bin', content);
  const isExecutable = (tree: string, name: string) => (lstatSync(join(tree, name)).mode & 0o111) !== 0;
  const names = ['run.bat', '$id.txt', 'auto.txt', 'a.txt', 'x.bin'];
  for (const wanted of [true, false]) {
    for (const name of names) chmodSync(join(from.tree, name), wanted ? 0o755 : 0o644);
    await carry();
    expect(names.map((name) => isExecutable(to.tree, name))).toEqual(names.map(() => wanted));
    expect(readFileSync(join(to.tree, 'run.bat'), 'utf8')).toBe('echo\r\n');
    expect(readFileSync(join(to.tree, 'x.bin'), 'utf8')).toBe(pointer);
    if (wanted) gitIn(from.tree, 'commit', '--quiet', '-m', 'executable', 'run.bat', '$id.txt', 'a.txt');
  }
});

test('settings, hooks and marks of a session neither run nor hide anything', async () => {
  const { folder, from, to, carry } = await pair();
  const { tree } = from;
  const trap = join(folder, 'trap');
  const script = `#!/bin/sh\ntouch ${trap}\ncat\n`;
  writeFileSync(join(folder, 'trap.sh'), script, { mode: 0o755 });
  mkdirSync(join(tree, '.git/hooks'), { recursive: true });
  for (const hook of ['pre-push', 'post-checkout', 'post-index-change', 'reference-transaction'])
    writeFileSync(join(tree, '.git/hooks', hook), script, { mode: 0o755 });
  for (const name of [
    'core.fsmonitor',
    'core.sshCommand',
    'filter.lfs.clean',
    'filter.x.clean',
    'credential.helper',
  ])
    gitIn(tree, 'config', name, join(folder, 'trap.sh'));
  gitIn(tree, 'config', `url.${folder}/elsewhere.insteadOf`, folder);
  put(tree, '.gitattributes', '* filter=x\n');
  put(tree, '.git/info/exclude', '*\n');
  put(tree, '.git/info/attributes', '* filter=x\n');
  gitIn(tree, 'update-index', '--assume-unchanged', 'a.txt');
  gitIn(tree, 'update-index', '--skip-worktree', 'd/b.txt');
  rmSync(trap, { force: true });
  put(tree, 'a.txt', 'hidden\n');
  put(tree, 'd/b.txt', 'hidden\n');
  put(tree, 'excluded.txt', 'hidden\n');
  await carry();
  for (const name of ['a.txt', 'd/b.txt', 'excluded.txt'])
    expect(readFileSync(join(to.tree, name), 'utf8')).toBe('hidden\n');
  await from.remoteRuns.restore(tree, (await from.remoteRuns.read('run-1'))?.refs.work ?? '', 'untildone/x');
  expect(existsSync(trap)).toBe(false);
});

/** One change of a workspace. */
const anyPath = fc
  .array(
    fc.constantFrom('a', 'b', 'd', 'e', 'x y', 'ü', '"', 'run.bat', 'auto.txt', 'c.log', '.gitattributes'),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((parts) => parts.join('/'));
const anyText = fc.constantFrom(
  '',
  'x',
  'x\n',
  'x\r\n',
  'x\r\ny\n',
  '$Id$\n',
  '\0\r\n',
  '* text eol=crlf\n',
  '*.txt -text\n',
);
const anyChange = fc.oneof(
  fc.record({ do: fc.constant('write' as const), path: anyPath, text: anyText }),
  fc.record({ do: fc.constant('remove' as const), path: anyPath, text: anyText }),
  fc.record({
    do: fc.constant('link' as const),
    path: anyPath,
    text: fc.constantFrom('a', '../..', '/nowhere'),
  }),
  fc.record({ do: fc.constant('mode' as const), path: anyPath, text: anyText }),
  fc.record({ do: fc.constant('commit' as const), path: anyPath, text: anyText }),
  fc.record({ do: fc.constant('stage' as const), path: anyPath, text: anyText }),
);

function change(tree: string, { do: what, path, text }: { do: string; path: string; text: string }): void {
  try {
    // Nothing is written through a link, which may lead out of the workspace.
    const parts = path.split('/').map((_, i, all) => join(tree, ...all.slice(0, i + 1)));
    const link = parts.find((part) => lstatSync(part, { throwIfNoEntry: false })?.isSymbolicLink());
    if (link !== undefined && what !== 'commit' && what !== 'stage') rmSync(link);
    if (what === 'write') put(tree, path, text);
    else if (what === 'remove') rmSync(join(tree, path), { recursive: true, force: true });
    else if (what === 'link') {
      rmSync(join(tree, path), { recursive: true, force: true });
      symlinkSync(text, join(tree, path));
    } else if (what === 'mode') chmodSync(join(tree, path), 0o755);
    else if (what === 'stage') gitIn(tree, 'add', '--force', path);
    else {
      gitIn(tree, 'add', '--all');
      gitIn(tree, 'commit', '--quiet', '-m', 'x');
    }
  } catch {
    // A file where a folder would be needed, or nothing to commit.
  }
}

test('whatever is done to a workspace, it arrives with the same tree', async () => {
  const { from, to, carry } = await pair();
  await fc.assert(
    fc.asyncProperty(fc.array(anyChange, { minLength: 1, maxLength: 12 }), async (changes) => {
      for (const one of changes) change(from.tree, one);
      const { leftOut } = await carry();
      expect(leftOut).toEqual([]);
      expect(await to.workspace.tree()).toBe(await from.workspace.tree());
    }),
    { numRuns: rounds(80, 6), endOnFailure: true },
  );
}, 600_000);
