import { describe, expect, test } from 'vitest';
import type { GateOptions } from '../../../../src/engine/core/contract/gate-options.ts';
import {
  builtInGroup,
  describeFinding,
  findForbidden,
  mayBeForbidden,
} from '../../../../src/engine/gates/forbid/find.ts';
import { forbidGate } from '../../../../src/engine/gates/forbid/index.ts';
import { contextOf, type Files, type WorkScene, workScene } from '../../../support/gates/work-scene.ts';
import { scene, write } from '../../../support/project/project-scene.ts';

const ALL = ['debug', 'debugger', 'todo', 'placeholder', 'secrets', 'private_keys'];
const options = (more: Partial<GateOptions['forbid']> = {}) => ({ patterns: ALL, custom: [], ...more });

/** Random enough to be a key, and nobody's. */
const BODY = 'q7Rk2mZp9sVw4tYx8nBd6gHj3cLf5aTe1uWo';

/** `path:line group (pattern)` of everything that is found. */
async function found(work: WorkScene, more?: Partial<GateOptions['forbid']>): Promise<string[]> {
  const { evidence = [] } = await work.judge(forbidGate, options(more));
  return evidence.map((line) => line.split(': ')[0] ?? '');
}

/** The same for a file of which every line is new. */
function foundIn(path: string, text: string): string[] {
  const groups = ALL.map(builtInGroup).filter((group) => group !== undefined);
  const lines = text.split('\n').map((line, i) => ({ path, line: i + 1, text: line }));
  const candidates = lines.filter((line) => mayBeForbidden(line, groups));
  const findings = findForbidden(path, text, candidates, groups);
  return findings.map((finding) => (describeFinding(finding).split(': ')[0] ?? '').slice(path.length + 1));
}

describe('is found, by language', () => {
  test.each<[string, string, string[]]>([
    [
      'src/a.ts',
      'f();\nconsole.log(x);\nconsole.debug(x);\n  console.trace();',
      ['2 debug (console.log)', '3 debug (console.debug)', '4 debug (console.debug)'],
    ],
    ['src/a.jsx', 'if (x) { debugger; }', ['1 debug (debugger)']],
    [
      'a.py',
      'import pdb\nbreakpoint()\nx = 1; pdb.set_trace()',
      ['1 debug (pdb)', '2 debug (breakpoint())', '3 debug (pdb)'],
    ],
    [
      'a.py',
      'print("DEBUG", x)\nprint(f"{x=}")\nprint("here")\nprint(">>> x")',
      ['1 debug (debug print)', '2 debug (debug print)', '3 debug (debug print)', '4 debug (debug print)'],
    ],
    [
      'a.go',
      '\tfmt.Println("DEBUG x")\n\tspew.Dump(x)\n\tprintln(x)',
      ['1 debug (debug print)', '2 debug (spew.Dump)', '3 debug (println)'],
    ],
    ['a.rs', 'let y = dbg!(x);\nprintln!("DEBUG {}", x);', ['1 debug (dbg!)', '2 debug (debug print)']],
    [
      'A.java',
      'System.out.println(x);\ne.printStackTrace();',
      ['1 debug (System.out.print)', '2 debug (printStackTrace)'],
    ],
    ['a.php', '<?php\nvar_dump($x);', ['2 debug (var_dump)']],
    ['a.rb', 'binding.pry\nputs "debug #{x}"', ['1 debug (binding.pry)', '2 debug (debug print)']],
    ['a.c', 'printf("DEBUG %d", x);', ['1 debug (debug print)']],
    ['a.sh', 'set -x', ['1 debug (set -x)']],
    [
      'a.ts',
      '// TODO: later\n/* one\n * FIXME two\n */\nf(); // XXX',
      ['1 todo (TODO)', '3 todo (FIXME)', '5 todo (XXX)'],
    ],
    ['a.py', 'x = 1  # HACK around it', ['1 todo (HACK)']],
    ['a.sql', '-- TODO index', ['1 todo (TODO)']],
    ['a.html', '<!-- TODO -->', ['1 todo (TODO)']],
    ['a.yml', 'a: 1 # FIXME', ['1 todo (FIXME)']],
    ['a.ts', "throw new Error('Not implemented');", ['1 placeholder (not implemented)']],
    [
      'a.ts',
      '// ... rest of the code\n// your code here\n// existing code remains',
      [
        '1 placeholder (code left out)',
        '2 placeholder (code to be written)',
        '3 placeholder (code left out)',
      ],
    ],
    [
      'a.ts',
      '// For now, return a fixed value\n// In a real implementation we would ask the server',
      ['1 placeholder (pretended)', '2 placeholder (pretended)'],
    ],
    ['a.ts', '// This is a placeholder\n/* placeholder */', ['1 placeholder', '2 placeholder']],
    ['a.html', '<p>Lorem ipsum dolor</p>', ['1 placeholder (lorem ipsum)']],
    [
      'a.py',
      'def f():\n    raise NotImplementedError\ndef g():\n    pass  # implement',
      ['2 placeholder (NotImplementedError)', '4 placeholder (pass)'],
    ],
    ['a.rs', 'todo!()\nunimplemented!("x")', ['1 placeholder (todo!())', '2 placeholder (todo!())']],
    ['a.go', 'panic("not implemented")', ['1 placeholder (not implemented)']],
    [
      'A.java',
      'throw new UnsupportedOperationException("Not implemented yet");',
      ['1 placeholder (not implemented)'],
    ],
    ['a.kt', 'fun f(): Int = TODO("later")', ['1 placeholder (TODO())']],
    [
      'key.pem',
      `-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7Rk2mZp9sVw4tYx8nBd6gHj3\n`,
      ['1 private_keys (private key)'],
    ],
    [
      'a.json',
      `{"key": "-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC"}`,
      ['1 private_keys (private key)'],
    ],
  ])('%s: %j', (path, text, expected) => {
    expect(foundIn(path, text)).toEqual(expected);
  });

  test.each([
    ['sk-ant-api03-', 'Anthropic key'],
    ['sk_live_', 'Stripe key'],
    ['ghp_', 'GitHub token'],
    ['github_pat_', 'GitHub token'],
    ['glpat-', 'GitLab token'],
    ['xoxb-', 'Slack token'],
    ['npm_', 'npm token'],
    ['hf_', 'Hugging Face token'],
    ['AIza', 'Google key'],
  ])('a key that begins with %s, in any file', (prefix, name) => {
    expect(foundIn('docs/notes.md', `the key is ${prefix}${BODY}`)).toEqual([`1 secrets (${name})`]);
  });

  test('a key, without repeating it', async () => {
    const work = await workScene();
    work.change({ 'a.ts': `use("glpat-${BODY}");\n` });
    const { evidence } = await work.judge(forbidGate, options());
    expect(evidence).toEqual(['a.ts:1 secrets (GitLab token): use("glpat-…"); [a.ts:secrets]']);
  });

  test('an AWS key', () => {
    expect(foundIn('.env', 'AWS_ACCESS_KEY_ID=AKIAQ7RK2MZP9SVW4TYX')).toEqual(['1 secrets (AWS key)']);
  });
});

describe('is not found', () => {
  test.each<[string, string, string]>([
    ['quoted code', 'a.ts', 'const s = "console.log(x)";\nconst t = `debugger;`;\nconst r = /console.log(/;'],
    ['code in a comment', 'a.ts', '// console.log(x)\n/*\nconsole.log(x)\n*/'],
    ['names that only look alike', 'a.ts', 'myconsole.log(x); const debuggerState = 1; log.debug(x);'],
    ['a program’s own output', 'bin/tool.ts', 'console.log("done");'],
    ['a script’s own output', 'deploy.mjs', '#!/usr/bin/env node\nconsole.log("done");'],
    [
      'a main class’s output',
      'App.java',
      'public static void main(String[] a) {\nSystem.out.println("hi");\n}',
    ],
    ['ordinary printing', 'a.py', 'print("Total:", total)\nprint(f"a == b: {a == b}")'],
    ['ordinary printing in Go', 'a.go', 'fmt.Println("listening")'],
    ['a word in a string', 'a.ts', "type Status = 'TODO' | 'DONE';\nconst TODO_LIMIT = 3;"],
    [
      'the subject of the program',
      'a.ts',
      '// renders the TODO list\n// TODOs of a person\n// one TODO item',
    ],
    ['prose', 'README.md', 'TODO: write more\nconsole.log(x) is a placeholder; lorem ipsum'],
    ['an attribute', 'a.tsx', '<input placeholder="Name" /> // the placeholder text of the field'],
    [
      'a status text',
      'a.ts',
      "const texts = { 501: 'Not Implemented' };\nexpect(f).toThrow('not implemented');",
    ],
    [
      'an abstract method',
      'a.py',
      'class A:\n    @abstractmethod\n    def f(self):\n        raise NotImplementedError',
    ],
    [
      'an example of a key',
      'a.md',
      'AKIAIOSFODNN7EXAMPLE ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx sk-ant-your-key-goes-here-please',
    ],
    ['code that knows keys', 'a.ts', "const header = '-----BEGIN PRIVATE KEY-----';\nf();"],
    ['a lock file', 'package-lock.json', `{"x": "npm_${BODY}"}`],
    ['what others wrote', 'vendor/x.js', 'console.log(1); // TODO'],
    ['what machines made', 'dist/app.min.js', 'console.log(1)'],
    ['a snapshot', 'test/__snapshots__/a.test.ts.snap', 'exports[`a`] = `TODO console.log(1)`;'],
    ['a file of an unknown kind', 'data.xyz', 'TODO console.log(x); debugger;'],
    ['a dollar-hash', 'a.sh', 'if [ $#TODO -eq 1 ]; then :; fi'],
  ])('%s', (_what, path, text) => {
    expect(foundIn(path, text)).toEqual([]);
  });
});

describe('only what was added counts', () => {
  test('lines that were there before stay allowed, new ones are numbered as they are now', async () => {
    const work = await workScene({ 'a.ts': '// TODO old\nf();\n' });
    expect(await work.judge(forbidGate, options())).toEqual({
      outcome: 'pass',
      summary: 'no forbidden line was added',
    });
    work.change({ 'a.ts': 'g();\n// TODO old\nf();\n// TODO new\n' });
    const judgement = await work.judge(forbidGate, options());
    expect(judgement).toMatchObject({
      outcome: 'fail',
      summary: '1 forbidden line was added since the start: 1 todo',
      evidence: ['a.ts:4 todo (TODO): // TODO new [a.ts:todo]'],
    });
  });

  test('a line that moved within its file or to another is not new', async () => {
    const many = Array.from({ length: 10 }, (_, i) => `const v${i} = ${i};`).join('\n');
    const work = await workScene({ 'a.ts': `// TODO one\n${many}\n`, 'b.ts': '  // TODO two\nf();\n' });
    work.change({ 'a.ts': `${many}\n// TODO one\n`, 'b.ts': 'f();\n', 'c.ts': '// TODO two\n' });
    expect(await found(work)).toEqual([]);
    work.change({ 'd.ts': '// TODO two\n' });
    expect(await found(work)).toHaveLength(1);
  });

  test('a renamed file brings nothing new', async () => {
    const text = `// TODO old\n${'line();\n'.repeat(20)}`;
    const work = await workScene({ 'a.ts': text });
    work.change({ 'a.ts': undefined, 'b.ts': text });
    expect(await found(work)).toEqual([]);
  });

  test('committed in between or not makes no difference', async () => {
    const work = await workScene({ 'a.ts': 'f();\n' });
    work.change({ 'a.ts': 'f();\ndebugger;\n' });
    work.commit();
    expect(await found(work)).toEqual(['a.ts:2 debug (debugger)']);
  });

  test('without a loop, what is not committed counts', async () => {
    const work = await workScene({ 'a.ts': 'debugger;\n' });
    work.change({ 'b.ts': '// TODO\n' });
    const { workspace } = work;
    const context = contextOf(work, { tree: await workspace.tree() });
    const judgement = await forbidGate.judge(options(), context, new AbortController().signal);
    expect(judgement).toMatchObject({
      outcome: 'fail',
      summary: '1 forbidden line was added since the last commit: 1 todo',
    });
  });

  test('with nothing to compare with it is unproven', async () => {
    const place = scene({ git: false });
    write(place.project, 'a.ts', '// TODO');
    const judgement = await forbidGate.judge(options(), contextOf(place, {}), new AbortController().signal);
    expect(judgement.outcome).toBe('unproven');
  });
});

describe('the contract and the person decide', () => {
  const files: Files = {
    'src/a.ts': '// TODO\ndebugger;\n',
    'src/b.ts': '// TODO\n',
    'test/c.ts': '// TODO\n',
  };

  test('only the groups that are asked for', async () => {
    const work = await workScene();
    work.change(files);
    expect(await found(work, { patterns: ['debugger'] })).toEqual(['src/a.ts:2 debugger']);
  });

  test('a line that two groups know is told once', async () => {
    const work = await workScene();
    work.change({ 'a.py': 'breakpoint()\n' });
    expect(await found(work, { patterns: ['debug', 'debugger'] })).toEqual(['a.py:1 debug (breakpoint())']);
  });

  test('only the paths that are asked for', async () => {
    const work = await workScene();
    work.change(files);
    expect(await found(work, { paths: ['src/**', '!src/b.ts'] })).toEqual([
      'src/a.ts:1 todo (TODO)',
      'src/a.ts:2 debug (debugger)',
    ]);
  });

  test('patterns of one’s own, by name', async () => {
    const work = await workScene();
    work.change({ 'src/a.ts': 'db.query("SELECT 1");\n', 'notes.md': 'query("SELECT' });
    const custom = [{ name: 'raw-sql', pattern: 'query\\("SELECT' }];
    const { evidence } = await work.judge(forbidGate, { patterns: [], custom });
    expect(evidence).toEqual([
      'notes.md:1 raw-sql: query("SELECT [notes.md:raw-sql]',
      'src/a.ts:1 raw-sql: db.query("SELECT 1"); [src/a.ts:raw-sql]',
    ]);
  });

  test.each(['a(?=!)', '(a)\\1', '('])(
    'a pattern that cannot be used is unproven, not a crash: %s',
    async (pattern) => {
      const work = await workScene();
      work.change({ 'a.ts': `${'a'.repeat(1000)}!\n` });
      const judgement = await work.judge(forbidGate, { patterns: [], custom: [{ name: 'own', pattern }] });
      expect(judgement).toMatchObject({
        outcome: 'unproven',
        summary: expect.stringContaining('"own" cannot be used'),
      });
    },
  );

  test('an unknown group is unproven', async () => {
    const work = await workScene();
    expect(await work.judge(forbidGate, options({ patterns: ['odd'] }))).toMatchObject({
      outcome: 'unproven',
    });
  });

  test('a group in a file, or a whole file, is allowed by name', async () => {
    const work = await workScene();
    work.change(files);
    const allowed = ['src/a.ts:todo', 'forbid:src/b.ts', 'test/c.ts:todo'];
    const judgement = await work.judge(forbidGate, options(), { allowed });
    expect(judgement.evidence).toEqual(['src/a.ts:2 debug (debugger): debugger; [src/a.ts:debug]']);
    expect(await work.judge(forbidGate, options(), { allowed: [...allowed, 'src/a.ts:debug'] })).toEqual({
      outcome: 'pass',
      summary: 'no forbidden line was added (4 allowed)',
    });
  });

  test('the same lines have the same fingerprint wherever they stand in the file', async () => {
    const work = await workScene();
    work.change({ 'a.ts': '// TODO\n' });
    const first = await work.judge(forbidGate, options());
    work.change({ 'a.ts': 'f();\n\n// TODO\n' });
    expect((await work.judge(forbidGate, options())).fingerprint).toBe(first.fingerprint);
  });

  test('many lines are counted, not all shown', async () => {
    const work = await workScene();
    work.change({ 'a.ts': '// TODO\n'.repeat(60) });
    const { evidence } = await work.judge(forbidGate, options());
    expect(evidence).toHaveLength(51);
    expect(evidence?.at(-1)).toBe('and 10 more');
  });
});
