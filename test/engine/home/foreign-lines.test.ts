import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  DEFAULT_JUDGE_MS,
  DEFAULT_LIMITS,
  promiseContract,
} from '../../../src/engine/core/contract/contract.ts';
import { createHome, homeAt } from '../../../src/engine/home/layout.ts';
import { FileStore } from '../../../src/engine/home/store.ts';
import type { LoopRef } from '../../../src/engine/ports/ports.ts';

let root: string;
let store: FileStore;
let ref: LoopRef;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'untildone-foreign-'));
  const home = homeAt(join(root, 'home'));
  createHome(home);
  store = new FileStore(home, { now: () => 1000 });
  ref = store.create({
    loop: 'loop1',
    session: 's1',
    project: root,
    dialect: 'native',
    task: 'task',
    contract: {
      contract: promiseContract('X', DEFAULT_LIMITS),
      frozen: { project: root, fingerprint: '', parts: {}, gates: {}, judgeMs: DEFAULT_JUDGE_MS },
    },
    transcriptOffset: 0,
  });
  for (let i = 0; i < 3; i++) note();
});

afterEach(() => rmSync(root, { recursive: true }));

const note = () => store.append(ref, () => ({ kind: 'event', event: 'PreToolUse' }));
const lines = () => readFileSync(store.journalFile(ref), 'utf8').trim().split('\n');
const addLine = (text: string) => appendFileSync(store.journalFile(ref), `${text}\n`);

test('an older line of ours, copied to the end, does not turn the state back', () => {
  const before = store.tail(ref).line.seq;
  addLine(lines()[1] ?? '');
  expect(store.tail(ref)).toMatchObject({ bad: 1, line: { seq: before } });
});

test('the last line once more counts for nothing either', () => {
  const before = store.tail(ref).line.seq;
  addLine(lines().at(-1) ?? '');
  expect(store.tail(ref)).toMatchObject({ bad: 1, line: { seq: before } });
});

test('what someone else wrote is put on record by whatever is appended next, and stays on record', () => {
  addLine('{"v":1,"forged":true}');
  addLine('anything');
  expect(note().foreignLines).toBe(2);
  expect(note().foreignLines).toBe(2);
  expect(lines().filter((line) => line.includes('"kind":"foreign"'))).toHaveLength(1);
});

test('lines that crashes cut short, even two in a row, are nobody’s forgery', () => {
  const cut = (lines().at(-1) ?? '').slice(0, 80);
  appendFileSync(store.journalFile(ref), `${cut}\n${cut}`);
  expect(store.tail(ref)).toMatchObject({ bad: 0, torn: true });
  expect(note().foreignLines).toBe(0);
});

test('damage in the middle does not make later lines foreign', () => {
  const [first = '', second = '', ...rest] = lines();
  const path = store.journalFile(ref);
  rmSync(path);
  appendFileSync(path, `${[first, second, 'damaged', ...rest.slice(1)].join('\n')}\n`);
  expect(store.tail(ref)).toMatchObject({ bad: 0, line: { seq: 4 } });
});
