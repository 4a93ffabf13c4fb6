import type { LanguageName } from '../../core/source/lexicon.ts';

/** A file as a pattern may look at it. */
export interface SourceFile {
  path: string;
  language: LanguageName | undefined;
  /** All of it, as it is now. */
  text: string;
}

/** Which part of a line is searched: `code` leaves out comments and what is quoted, `text` leaves out nothing. */
export type View = 'code' | 'comments' | 'uncommented' | 'text';

export interface LinePattern {
  /** What a person reads: `console.log`. */
  name: string;
  /** Absent: every file. */
  languages?: readonly LanguageName[];
  view: View;
  expression: RegExp;
  /** Has to be found in the code of the line as well: a quoted `print("debug")` prints nothing. */
  inCode?: RegExp;
  /** Cases in which it is meant; `line` counts from 1. */
  unless?: (file: SourceFile, line: number) => boolean;
}
