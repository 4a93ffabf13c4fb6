import type { EditPart } from '../reading/records.ts';
import type { Place } from './finding.ts';
import { type Repeat, Repeats } from './repeats.ts';

const MOST_REMEMBERED = 20_000;
const MOST_VERSIONS = 20;

/** Finds edits that were taken back: by the opposite edit, by an earlier text of the file, or by git. */
export class Reverts {
  readonly byFile = new Repeats(2_000);
  /** Edits that still stand, by file, old and new text. */
  private readonly edits = new Map<string, Repeat | true>();
  /** The digests of whole texts that a file was given, the newest last. */
  private readonly versions = new Map<string, string[]>();
  private readonly edited = new Set<string>();

  /** Takes an edit that was made. Returns the reverted file's count when it takes an earlier one back. */
  edit(file: string, parts: readonly EditPart[], place: Place): Repeat | undefined {
    remember(this.edited, file);
    const back = parts.filter((part) => this.takesBack(file, part));
    return back.length === 0 ? undefined : this.byFile.see(file, file, place);
  }

  /** Takes a git command that puts these files back as they were. */
  git(files: 'all' | readonly string[], place: Place): Repeat | undefined {
    const gone = [...this.edited].filter(
      (file) => files === 'all' || files.some((name) => isNamed(file, name)),
    );
    for (const file of gone) this.edited.delete(file);
    let last: Repeat | undefined;
    for (const file of gone) last = this.byFile.see(file, file, { ...place, what: 'by git' });
    return last;
  }

  /** What was committed is not taken back by a later checkout. */
  committed(): void {
    this.edited.clear();
  }

  private takesBack(file: string, { before, after }: EditPart): boolean {
    if (before === undefined) return this.isEarlierText(file, after);
    if (before === after) return false;
    const opposite = `${file}\n${after}\n${before}`;
    if (this.edits.delete(opposite)) return true;
    remember(this.edits, `${file}\n${before}\n${after}`);
    return false;
  }

  private isEarlierText(file: string, text: string): boolean {
    const known = this.versions.get(file) ?? [];
    const isEarlier = known.includes(text) && known.at(-1) !== text;
    this.versions.delete(file);
    if (this.versions.size >= MOST_REMEMBERED) this.versions.delete(this.versions.keys().next().value ?? '');
    this.versions.set(file, [...known.filter((other) => other !== text), text].slice(-MOST_VERSIONS));
    return isEarlier;
  }
}

function isNamed(file: string, name: string): boolean {
  const plain = name.replace(/^\.\//, '').replace(/\/$/, '');
  return (
    file === plain ||
    file.endsWith(`/${plain}`) ||
    file.includes(`/${plain}/`) ||
    file.startsWith(`${plain}/`)
  );
}

/** Remembers a key, and forgets the oldest when there are too many. */
function remember(seen: Set<string> | Map<string, Repeat | true>, key: string): void {
  if (seen.size >= MOST_REMEMBERED) seen.delete(seen.keys().next().value ?? '');
  if (seen instanceof Set) seen.add(key);
  else seen.set(key, true);
}
