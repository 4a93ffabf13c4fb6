/** Homes with loops for the dashboard: written through the real lines of journals, many at once. */
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Contract } from '../../../src/engine/core/contract/contract.ts';
import type { Entry } from '../../../src/engine/core/loop/entry.ts';
import type { LoopState } from '../../../src/engine/core/loop/state.ts';
import type { Verdict } from '../../../src/engine/core/loop/verdict.ts';
import { hmacSha256, sha256 } from '../../../src/engine/files/digest.ts';
import { NO_PREVIOUS, nextLine } from '../../../src/engine/home/journal/file.ts';
import { sealLine, unseal } from '../../../src/engine/home/journal/line.ts';
import { copyOfEndFile, createHome, type Home, homeAt, readKey } from '../../../src/engine/home/layout.ts';
import { FileStore } from '../../../src/engine/home/store.ts';
import type { LoopRef, NewLoop } from '../../../src/engine/ports/ports.ts';
import { seenStop, verdict } from '../core/samples.ts';
import { contractWith, frozenWith, run } from '../hook/judging.ts';

export interface LoopsHome {
  home: Home;
  store: FileStore;
  /** A folder of a project; made when it is first asked for. */
  project(name?: string): string;
  loop(id: string, options?: LoopOptions): LoopRef;
  /** Appends entries as hooks do, a second apart. */
  append(ref: LoopRef, ...entries: Entry[]): void;
  clock: { at: number };
}

interface LoopOptions extends Partial<Pick<NewLoop, 'session' | 'task' | 'run' | 'baseTree' | 'dialect'>> {
  project?: string;
  contract?: Contract;
}

export function loopsHome(folder: string, began = Date.now() - 3_600_000): LoopsHome {
  const home = homeAt(join(folder, 'home'));
  createHome(home);
  const clock = { at: began };
  const store = new FileStore(home, { now: () => clock.at });
  const project = (name = 'project') => {
    const path = join(folder, name);
    if (!existsSync(path)) mkdirSync(path, { recursive: true });
    return path;
  };
  return {
    home,
    store,
    project,
    clock,
    loop(id, { session = `session-${id}`, task = `the task of ${id}`, contract, ...more } = {}) {
      const path = more.project ?? project();
      const frozen = frozenWith(contract ?? contractWith({ tests: run() }), {
        project: path,
        fingerprint: '',
      });
      const given = {
        dialect: 'native',
        ...more,
        loop: id,
        session,
        task,
        project: path,
        transcriptOffset: 0,
        contract: frozen,
      };
      return store.create(given);
    },
    append(ref, ...entries) {
      for (const entry of entries) {
        clock.at += 1000;
        store.append(ref, () => entry);
      }
    },
  };
}

export function held(...verdicts: Verdict[]): Entry {
  const found = verdicts.length > 0 ? verdicts : [verdict('fail', { summary: '1 of 9 tests fails' })];
  return {
    kind: 'stop',
    seen: seenStop({ contextShare: 0.25 }),
    verdicts: found,
    decision: { kind: 'block', instruction: 'continue' },
  };
}

export const ENDED: Entry = {
  kind: 'stop',
  seen: seenStop(),
  verdicts: [verdict('pass', { summary: '9 tests pass' })],
  decision: { kind: 'end', status: 'verified_done', cause: 'gates_passed', detail: 'tests' },
};

/** The lines of a loop after its first, as a pattern for others: to make each anew takes ten times as long. */
export interface LinesOf {
  state: LoopState;
  texts: string[];
}

export function linesOf(store: FileStore, ref: LoopRef): LinesOf {
  return {
    state: store.read(ref),
    texts: readFileSync(store.journalFile(ref), 'utf8').trimEnd().split('\n').slice(1),
  };
}

/** Gives a new loop the lines of another, each sealed for it and following from the one before. */
export function lengthenLike(home: Home, store: FileStore, ref: LoopRef, { state, texts }: LinesOf): void {
  const { line, text } = store.tail(ref);
  const sealed = sealedFor(line.state, state, texts, sha256(text), readKey(home));
  appendFileSync(store.journalFile(ref), `${sealed.join('\n')}\n`);
  writeFileSync(copyOfEndFile(home, ref.loop), `${sealed.at(-1)}\n`);
}

/** A loop like another of the same project, without a session that it could hold: made in no time. */
export function copiedLoop(home: Home, store: FileStore, from: LoopRef, loop: string): LoopRef {
  const ref = { loop, dir: join(dirname(from.dir), loop) };
  mkdirSync(ref.dir);
  for (const file of ['task.md', 'contract.json']) copyFileSync(join(from.dir, file), join(ref.dir, file));
  const { state } = linesOf(store, from);
  const texts = readFileSync(store.journalFile(from), 'utf8').trimEnd().split('\n');
  const own = { ...state, loop, session: `session-${loop}` };
  const sealed = sealedFor(own, state, texts, NO_PREVIOUS, readKey(home));
  writeFileSync(store.journalFile(ref), `${sealed.join('\n')}\n`);
  writeFileSync(copyOfEndFile(home, loop), `${sealed.at(-1)}\n`);
  return ref;
}

type Named = Pick<LoopState, 'loop' | 'session' | 'contractSha256'>;

function sealedFor(own: Named, from: Named, texts: readonly string[], first: string, key: string): string[] {
  let prev = first;
  return texts.map((text) => {
    const body = (unseal(text)?.body ?? '')
      .replaceAll(`"loop":"${from.loop}"`, `"loop":"${own.loop}"`)
      .replaceAll(`"session":"${from.session}"`, `"session":"${own.session}"`)
      .replaceAll(from.contractSha256, own.contractSha256)
      .replace(/"prev":"[0-9a-f]{64}"}$/, `"prev":"${prev}"}`);
    const sealed = sealLine(body, hmacSha256(key, body).slice(0, 32));
    prev = sha256(sealed);
    return sealed;
  });
}

/** Adds so many lines at once, as the store would have written them one by one. */
export function lengthen(
  home: Home,
  store: FileStore,
  ref: LoopRef,
  lines: number,
  entryFor: (line: number) => Entry,
): void {
  const key = readKey(home);
  let last = store.tail(ref) as { line: ReturnType<FileStore['tail']>['line']; text: string };
  const texts: string[] = [];
  for (let i = 0; i < lines; i++) {
    const entry = entryFor(i);
    const at = last.line.state.lastAt + 1000;
    const next = nextLine(key, last, entry, at);
    texts.push(next.text);
    last = { text: next.text, line: { ...last.line, seq: next.seq, state: next.state, entry } };
  }
  appendFileSync(store.journalFile(ref), `${texts.join('\n')}\n`);
  writeFileSync(copyOfEndFile(home, ref.loop), `${last.text}\n`);
}
