/**
 * The journal of a run of the fleet, in a home of this machine. Each line is checked with the key of its run, then sealed with
 * the key of that home, so that everything that reads journals can show it.
 */
import { appendFileSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../../engine/core/loop/entry.ts';
import { hasEnded, type LoopState } from '../../engine/core/loop/state.ts';
import { sha256 } from '../../engine/files/digest.ts';
import { writeWhole } from '../../engine/files/whole-file.ts';
import { writeCopyOfEnd } from '../../engine/home/journal/copy-of-end.ts';
import { type LineCheck, lineAfter, lineCheck, NO_PREVIOUS } from '../../engine/home/journal/file.ts';
import type { JournalLine } from '../../engine/home/journal/line.ts';
import { copyOfEndFile, type Home, readKey } from '../../engine/home/layout.ts';

interface Mirrored {
  seq: number;
  /** SHA-256 of the line as its worker wrote it. */
  original: string;
  /** Where the mirrored line ends in the file. */
  end: number;
  /** A worker took the run over with it. */
  moved?: true;
}

export class MirroredJournal {
  readonly dir: string;
  /** Lines that do not have the seal of this run. */
  refused = 0;
  /** Every line from the first one on is there, and no other journal of this run was told. */
  isWhole = true;
  state: LoopState | undefined;
  private readonly home: Home;
  private readonly key: string;
  private readonly path: string;
  private readonly check: LineCheck;
  private readonly run: string;
  private readonly repo: string;
  private lines: Mirrored[] = [];
  /** Digests of lines that another worker wrote in vain. */
  private readonly dropped = new Set<string>();
  /** So many lines are those of git: nothing else takes their place. */
  private settled = 0;
  private last: string | undefined;

  /** `dir`: the folder of the loop, which has the name of the run. */
  constructor(home: Home, dir: string, { run, repo, key }: { run: string; repo: string; key: string }) {
    this.home = home;
    this.key = readKey(home);
    this.dir = dir;
    this.path = join(dir, 'journal.jsonl');
    this.check = lineCheck(this.path, key);
    this.run = run;
    this.repo = repo;
  }

  get hasLines(): boolean {
    return this.lines.length > 0;
  }

  get hasEnded(): boolean {
    return this.state !== undefined && hasEnded(this.state);
  }

  /**
   * Takes in lines as their worker wrote them. Those that are known are passed over. True when lines were taken back: another
   * worker went on from an earlier one.
   */
  take(texts: readonly string[]): boolean {
    const added: string[] = [];
    let isRebuilt = false;
    for (const text of texts) {
      const line = this.checked(text);
      const place = line && this.placeFor(line, sha256(text));
      if (!line || place === undefined) continue;
      if (place === 'gap') this.isWhole = false;
      else if (place < this.lines.length) {
        this.write(added.splice(0));
        this.cutBack(place);
        isRebuilt = true;
      }
      added.push(this.add(line, sha256(text)));
    }
    this.write(added);
    return isRebuilt;
  }

  /** Whether a line with this digest was taken, as its worker wrote it, and follows from the first one. */
  holds(original: string): boolean {
    return this.isWhole && this.lines.some((line) => line.original === original);
  }

  /** Whether a line was taken. One that is not kept any more ('') says nothing else. */
  knows(text: string | undefined): boolean {
    const original = text && sha256(text);
    return text === '' || this.lines.some((line) => line.original === original);
  }

  private checked(text: string): JournalLine | undefined {
    if (text === '') return undefined;
    const line = this.check(text);
    if (!line) this.refused++;
    return line;
  }

  /**
   * Where a line belongs; undefined for one that is known, or that was written in vain. Who takes a run over writes a line
   * of its own first, and that wins over lines of before. Between others git decides.
   */
  private placeFor({ seq, prev, entry }: JournalLine, original: string): number | 'gap' | undefined {
    const { lines, dropped } = this;
    const before = lines.findLastIndex((each) => each.seq < seq);
    if (lines[before + 1]?.original === original || dropped.has(original)) return undefined;
    if (dropped.has(prev) || before + 1 < this.settled) {
      dropped.add(original);
      return undefined;
    }
    const [at, follows] = [lines[before + 1], prev === (lines[before]?.original ?? NO_PREVIOUS)];
    if (follows && (!at?.moved || isMove(entry))) return before + 1;
    if (!at && seq > (lines[before]?.seq ?? 0) + 1) return 'gap';
    this.isWhole = false;
    return undefined;
  }

  private add(line: JournalLine, original: string): string {
    const { prev: _, ...shown } = this.shownHere(line);
    this.last = lineAfter(this.last, shown, this.key);
    const end = (this.lines.at(-1)?.end ?? 0) + Buffer.byteLength(this.last) + 1;
    this.lines.push({ seq: line.seq, original, end, ...(isMove(line.entry) ? { moved: true } : {}) });
    this.state = line.state;
    return this.last;
  }

  private cutBack(place: number): void {
    const [start, end] = [this.lines[place - 2]?.end ?? 0, this.lines[place - 1]?.end ?? 0];
    this.last = place === 0 ? undefined : readFileSync(this.path).toString('utf8', start, end - 1);
    truncateSync(this.path, end);
    for (const { original } of this.lines.splice(place)) this.dropped.add(original);
  }

  /** Begins anew with a whole journal, unless it holds nothing that is not known. True when it began anew. */
  replace(text: string): boolean {
    const texts = text.split('\n');
    const newest = texts.findLast((each) => each !== '' && this.check(each));
    if (newest === undefined) return false;
    const isKnown = this.lines.some(({ original }) => original === sha256(newest));
    if (isKnown && this.isWhole) return false;
    this.lines = [];
    this.dropped.clear();
    this.settled = 0;
    this.last = undefined;
    this.isWhole = true;
    mkdirSync(this.dir, { recursive: true, mode: 0o700 });
    writeWhole(this.path, '');
    this.take(texts);
    this.settled = this.lines.length;
    return true;
  }

  /** The folders of its worker are none of this machine: a run is shown with its repository. */
  private shownHere(line: JournalLine): JournalLine {
    const { entry } = line;
    return entry.kind === 'started' ? { ...line, entry: { ...entry, project: this.repo } } : line;
  }

  private write(added: readonly string[]): void {
    const end = added.at(-1);
    if (end === undefined) return;
    mkdirSync(this.dir, { recursive: true, mode: 0o700 });
    appendFileSync(this.path, `${added.join('\n')}\n`, { mode: 0o600 });
    // The copy tells those who watch the home that this journal has changed.
    writeCopyOfEnd(copyOfEndFile(this.home, this.run), end);
  }
}

function isMove({ kind }: Entry): boolean {
  return kind === 'moved';
}
