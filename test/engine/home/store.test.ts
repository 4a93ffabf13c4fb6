import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  type Contract,
  DEFAULT_LIMITS,
  promiseContract,
} from '../../../src/engine/core/contract/contract.ts';
import type { Entry } from '../../../src/engine/core/loop/entry.ts';
import { JournalScan } from '../../../src/engine/home/journal/scan.ts';
import { createHome, type Home, homeAt, readKey } from '../../../src/engine/home/layout.ts';
import { FileStore, LoopExists } from '../../../src/engine/home/store.ts';
import type { LoopRef, NewLoop } from '../../../src/engine/ports/ports.ts';
import { seenStop, T0, verdict } from '../../support/core/samples.ts';
import { makeFifo, runUnprivileged, runWorker, temporaryFolder } from '../../support/files/workers.ts';
import { few } from '../../support/long.ts';

let home: Home;
let store: FileStore;
let now: number;
beforeEach(() => {
  home = homeAt(join(temporaryFolder(), 'home'));
  createHome(home);
  now = T0;
  store = new FileStore(home, { now: () => now });
});

function newLoop(changes: Partial<NewLoop> = {}): NewLoop {
  const project = join(home.root, '..', 'project');
  return {
    loop: 'l1',
    session: 's1',
    project,
    dialect: 'native',
    task: 'a task\n',
    contract: {
      contract: promiseContract('DONE', DEFAULT_LIMITS),
      frozen: { project, fingerprint: '', parts: {}, gates: {}, judgeMs: 1000 },
    },
    transcriptOffset: 7,
    ...changes,
  };
}

const block: Entry = {
  kind: 'stop',
  seen: seenStop(),
  verdicts: [verdict('fail')],
  decision: { kind: 'block', instruction: 'continue' },
};
const cancel: Entry = { kind: 'command', command: 'cancel' };

/** Every file below a folder with its content, locks and temporary files included. */
function everything(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((e) => e.isFile());
  return Object.fromEntries(
    files.map((e) => [join(e.parentPath, e.name), readFileSync(join(e.parentPath, e.name), 'utf8')]),
  );
}

describe('a new loop', () => {
  test('is found by its session, with its task, its contract and its first state', () => {
    const ref = store.create(newLoop());
    expect(store.loopOfSession('s1')).toEqual(ref);
    expect(store.task(ref)).toBe('a task\n');
    expect(store.contract(ref)).toMatchObject(newLoop().contract);
    expect(store.read(ref)).toMatchObject({ loop: 'l1', session: 's1', status: 'active', iteration: 1 });
    expect(store.read(ref).read.offset).toBe(7);
    expect(existsSync(join(home.active, 's1'))).toBe(true);
  });
  test('is read with what an earlier version wrote into its contract', () => {
    const { contract, frozen } = newLoop().contract;
    const earlier = { ...contract, reflection: { enabled: false } } as unknown as Contract;
    const ref = store.create(newLoop({ contract: { contract: earlier, frozen } }));
    expect(store.contract(ref)).toMatchObject({ contract, frozen });
  });
  test('is refused while the session has a living one, and possible once that has ended', () => {
    const ref = store.create(newLoop());
    const before = everything(home.root);
    expect(() => store.create(newLoop({ loop: 'l2' }))).toThrow(LoopExists);
    expect(everything(home.root)).toEqual(before);
    store.append(ref, () => ({ kind: 'command', command: 'pause' }));
    expect(() => store.create(newLoop({ loop: 'l2' }))).toThrow('l1');
    store.append(ref, () => cancel);
    expect(store.create(newLoop({ loop: 'l2' })).loop).toBe('l2');
    expect(store.loopOfSession('s1')?.loop).toBe('l2');
  });
  test('leaves no lock and no temporary file', () => {
    store.create(newLoop());
    const names = Object.keys(everything(home.root)).map((path) => path.slice(home.root.length + 1));
    expect(names.filter((name) => /lock|tmp$/.test(name))).toEqual([]);
  });
  test('of one session does not touch the files of another', () => {
    const ref = store.create(newLoop());
    const first = everything(ref.dir);
    const second = store.create(newLoop({ loop: 'l2', session: 's2' }));
    store.append(second, () => block);
    store.append(second, () => cancel);
    store.mark('s2', false);
    expect(everything(ref.dir)).toEqual(first);
    expect(
      store
        .loops()
        .map((r) => r.loop)
        .sort(),
    ).toEqual(['l1', 'l2']);
  });
});

describe('appending', () => {
  test('decides on the freshest state and counts', () => {
    const ref = store.create(newLoop());
    const other = new FileStore(home, { now: () => now });
    other.append(ref, () => block);
    const after = store.append(ref, (fresh) => (fresh.iteration === 2 ? block : undefined));
    expect(after.iteration).toBe(3);
    expect(other.read(ref)).toEqual(after);
  });
  test('nothing writes nothing', () => {
    const ref = store.create(newLoop());
    const before = everything(ref.dir);
    expect(store.append(ref, () => undefined)).toEqual(store.read(ref));
    expect(everything(ref.dir)).toEqual(before);
  });
  test('that fails half way lets the lock go and writes nothing', () => {
    const ref = store.create(newLoop());
    const before = everything(ref.dir);
    const failing = () =>
      store.append(ref, () => {
        throw new Error('no decision');
      });
    expect(failing).toThrow('no decision');
    expect(everything(ref.dir)).toEqual(before);
  });
  test('by many processes at once loses nothing and keeps the order', async () => {
    const ref = store.create(newLoop());
    const runs = Array.from({ length: 5 }, () =>
      runWorker({ do: 'append', root: home.root, session: 's1', times: 20 }),
    );
    for (const { code, stderr } of await Promise.all(runs))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const seen: number[] = [];
    const perProcess = new Map<string, number>();
    for await (const l of new JournalScan(store.journalFile(ref), readKey(home)).next()) {
      if (!l.ok || !l.chained) throw new Error('a damaged line');
      seen.push(l.line.seq);
      if (l.line.entry.kind !== 'event') continue;
      const [pid = '', number] = l.line.entry.event.split('-');
      expect(Number(number)).toBe(perProcess.get(pid) ?? 0);
      perProcess.set(pid, Number(number) + 1);
    }
    expect(seen).toEqual(Array.from({ length: 101 }, (_, i) => i + 1));
    expect([...perProcess.values()]).toEqual([20, 20, 20, 20, 20]);
  });
});

describe('sessions', () => {
  test.each(['../s1', 'a/b', '', '.', 's 1', 's1.json', 'x'.repeat(200)])(
    '%j is no session of ours',
    (session) => {
      store.create(newLoop());
      expect(store.loopOfSession(session)).toBeUndefined();
      expect(store.projectOfSession(session)).toBeUndefined();
      store.mark(session, true);
      store.mark(session, false);
      expect(readdirSync(home.active)).toEqual(['s1']);
    },
  );
  test('without a record has no loop', () => {
    expect(store.loopOfSession('s9')).toBeUndefined();
  });
  test.each([
    '',
    '{',
    'null',
    '[]',
    '{}',
    '"text"',
    '{"loopDir":5,"session":"s1"}',
    '{"loopDir":"/x","session":"s2"}',
  ])('a record that says %j is written again from the loop itself', (text) => {
    const ref = store.create(newLoop());
    store.create(newLoop({ loop: 'l2', session: 's2' }));
    const record = readFileSync(join(home.sessions, 's1.json'), 'utf8');
    writeFileSync(join(home.sessions, 's1.json'), text);
    expect(() => store.create(newLoop({ loop: 'l3' }))).toThrow(LoopExists);
    expect(store.loopOfSession('s1')).toEqual(ref);
    expect(readFileSync(join(home.sessions, 's1.json'), 'utf8')).toBe(record);
    rmSync(join(home.sessions, 's1.json'));
    expect(store.loopOfSession('s1')).toEqual(ref);
  });
  test('a damaged record is loud as long as no loop is found for it, and does not keep one from starting', () => {
    const ref = store.create(newLoop());
    writeFileSync(join(home.sessions, 's1.json'), '{');
    rmSync(ref.dir, { recursive: true });
    expect(() => store.loopOfSession('s1')).toThrow('is damaged');
    expect(store.create(newLoop({ loop: 'l2' })).loop).toBe('l2');
  });
  test('whose loop is gone can start another', () => {
    rmSync(store.create(newLoop()).dir, { recursive: true });
    expect(store.create(newLoop({ loop: 'l2' })).loop).toBe('l2');
  });
  test('the marker comes and goes, whatever stands in its place', () => {
    const marker = join(home.active, 's1');
    store.mark('s1', false);
    makeFifo(marker);
    store.mark('s1', true);
    expect(readFileSync(marker, 'utf8')).toBe('');
    store.mark('s1', false);
    expect(existsSync(marker)).toBe(false);
    mkdirSync(marker);
    store.mark('s1', false);
    expect(() => store.mark('s1', true)).toThrow();
    expect(readdirSync(home.active)).toEqual(['s1']);
  });
});

describe('a pipe or a folder in place of a file ends in an error or is passed over, never in a wait', () => {
  const files: Record<string, (ref: LoopRef) => string> = {
    'the journal': (ref) => join(ref.dir, 'journal.jsonl'),
    'the contract': (ref) => join(ref.dir, 'contract.json'),
    'the session record': () => join(home.sessions, 's1.json'),
    'the key': () => home.keyFile,
    'the lock': (ref) => join(ref.dir, 'lock'),
  };
  const append = () => runWorker({ do: 'append', root: home.root, session: 's1', times: 1 });
  for (const [name, pathOf] of Object.entries(files)) {
    test.each(few(['pipe', 'folder'], 1))(`${name} as a %s`, async (what) => {
      const ref = store.create(newLoop());
      const path = pathOf(ref);
      rmSync(path, { force: true });
      if (what === 'pipe') makeFifo(path);
      else mkdirSync(path);
      expect(await append()).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('not a regular file'),
      });
    });
  }
  test.each(few(['pipe', 'nothing', 'folder'], 2))('the task as %s is said in its place', async (what) => {
    const ref = store.create(newLoop());
    rmSync(store.taskFile(ref));
    if (what === 'pipe') makeFifo(store.taskFile(ref));
    if (what === 'folder') mkdirSync(store.taskFile(ref));
    const { code, stdout } = await append();
    expect(code).toBe(0);
    expect(JSON.parse(stdout).task).toMatch(/^\(the task (cannot be read|is gone): .*task\.md/);
  });
});

describe('a folder that cannot be written to', () => {
  test('is an error that names it, and reading still works', async () => {
    const ref = store.create(newLoop());
    const scratch = dirname(home.root);
    chmodSync(ref.dir, 0o500);
    const write = await runUnprivileged({ do: 'append', root: home.root, session: 's1', times: 1 }, scratch);
    expect(write).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/EACCES.*lock/) });
    const read = await runUnprivileged({ do: 'read', root: home.root, session: 's1' }, scratch);
    expect(JSON.parse(read.stdout).state.iteration).toBe(1);
    chmodSync(ref.dir, 0o700);
  });
});

test('loops are listed by project, and what is no loop is passed over', () => {
  const ref = store.create(newLoop());
  writeFileSync(join(dirname(ref.dir), 'a-file'), '');
  writeFileSync(join(home.projects, 'a-file'), '');
  expect(store.loops()).toEqual([ref]);
  expect(store.loops(newLoop().project)).toEqual([ref]);
  expect(store.loops('/elsewhere')).toEqual([]);
});
