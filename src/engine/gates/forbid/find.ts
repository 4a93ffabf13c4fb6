import type { FORBID_GROUPS } from '../../core/contract/gate-options.ts';
import { languageOf } from '../../core/source/lexicon.ts';
import { type MaskedSource, maskSource } from '../../core/source/mask.ts';
import { oneLine } from '../../core/text/clip.ts';
import { lineMatcher } from '../../core/text/line-pattern.ts';
import type { AddedLine } from '../../ports/ports.ts';
import {
  DEBUG,
  DEBUGGER,
  type LinePattern,
  PLACEHOLDER,
  type SourceFile,
  TODO,
  type View,
} from './patterns.ts';
import { PRIVATE_KEYS, SECRETS, secretNamed, withoutSecrets } from './secrets.ts';

export interface PatternGroup {
  name: string;
  patterns: readonly LinePattern[];
  /** Whether a file is not searched: written by others, generated, or prose. */
  skips: (path: string) => boolean;
}

export interface Finding {
  path: string;
  line: number;
  group: string;
  pattern: string;
  /** The whole line. */
  text: string;
}

const LOCK_FILES =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|mix\.lock|pubspec\.lock|Package\.resolved|flake\.lock)$/;
const FOREIGN = /(^|\/)(node_modules|vendor|third[_-]party|\.yarn|bower_components|Pods|site-packages)\//;
const MADE_BY_MACHINES =
  /\.min\.(js|css|mjs)$|\.map$|[.-]bundle\.js$|\.snap$|(^|\/)__snapshots__\/|\.ambr$|\.pb\.(go|cc|h)$|_pb2(_grpc)?\.pyi?$|\.generated\.\w+$|\.g\.dart$/;
const PROSE = /\.(md|mdx|markdown|rst|adoc|txt|org)$|(^|\/)untildone\.yaml$/i;

const skipsUnwritten = (path: string) =>
  LOCK_FILES.test(path) || FOREIGN.test(path) || MADE_BY_MACHINES.test(path);
/** Files that are written by others, by programs, or for people alone. */
export const skipsProse = (path: string) => skipsUnwritten(path) || PROSE.test(path);
const skipsLocks = (path: string) => LOCK_FILES.test(path);

const GROUPS: Record<(typeof FORBID_GROUPS)[number], Omit<PatternGroup, 'name'>> = {
  debug: { patterns: DEBUG, skips: skipsProse },
  debugger: { patterns: DEBUGGER, skips: skipsProse },
  todo: { patterns: TODO, skips: skipsProse },
  placeholder: { patterns: PLACEHOLDER, skips: skipsProse },
  secrets: { patterns: SECRETS, skips: skipsLocks },
  private_keys: { patterns: PRIVATE_KEYS, skips: skipsLocks },
};

/** Undefined for a name that is not built in. */
export function builtInGroup(name: string): PatternGroup | undefined {
  return Object.hasOwn(GROUPS, name) ? { name, ...GROUPS[name as keyof typeof GROUPS] } : undefined;
}

/** Only this much of a line is searched at once by built-in patterns: their time can grow fast with the length. */
const SEARCHED_LENGTH = 500;

/** Your own pattern. It takes linear time, so it searches whole lines. */
export function customGroup(name: string, pattern: string): PatternGroup {
  const expression = lineMatcher(pattern);
  return { name, patterns: [{ name, view: 'text', expression, wholeLines: true }], skips: skipsUnwritten };
}

/** Whether a group may find something in this line. Decided without the rest of the file. */
export function mayBeForbidden(line: AddedLine, groups: readonly PatternGroup[]): boolean {
  const language = languageOf(line.path);
  return groups.some(
    (group) =>
      !group.skips(line.path) &&
      group.patterns.some(
        (pattern) => concerns(pattern, language) && pattern.expression.test(searched(line.text, pattern)),
      ),
  );
}

function concerns({ languages, view }: LinePattern, language: SourceFile['language']): boolean {
  // Comments and code can be told apart only in a known language.
  if (language === undefined) return view === 'text' && languages === undefined;
  return languages === undefined || languages.includes(language);
}

/** Finds forbidden lines. `lines` are the candidates of one file, `text` is its whole text. */
export function findForbidden(
  path: string,
  text: string,
  lines: readonly AddedLine[],
  groups: readonly PatternGroup[],
): Finding[] {
  const language = languageOf(path);
  const file: SourceFile = { path, language, text, lines: text.split('\n') };
  const views = viewsOf(text, language ? maskSource(text, language) : undefined);
  const searchedGroups = groups.filter((group) => !group.skips(path));
  return lines.flatMap((line) => {
    const findings = searchedGroups.flatMap((group) => {
      const pattern = group.patterns.find((one) => concerns(one, language) && found(one, line, views, file));
      return pattern
        ? [{ path, line: line.line, group: group.name, pattern: pattern.name, text: line.text }]
        : [];
    });
    // `debug` includes `debugger`. The same pattern is reported once.
    return findings.filter((one, i) => findings.findIndex(({ pattern }) => pattern === one.pattern) === i);
  });
}

/** What was found in a prompt or a task. It never holds the words themselves. */
export interface TextFinding {
  line: number;
  group: string;
  pattern: string;
}

/** Searches a prompt or a task. All of it counts: such a text has no code and no comments. */
export function findInText(text: string, groups: readonly PatternGroup[]): TextFinding[] {
  const file: SourceFile = { path: '', language: undefined, text, lines: text.split('\n') };
  return file.lines.flatMap((written, i) =>
    groups.flatMap((group): TextFinding[] => {
      const pieces = group.patterns.every(({ wholeLines }) => wholeLines) ? [written] : piecesOf(written);
      const pattern = pieces.map((piece) => patternIn(piece, group, file, i + 1)).find(Boolean);
      return pattern === undefined ? [] : [{ line: i + 1, group: group.name, pattern }];
    }),
  );
}

function patternIn(piece: string, group: PatternGroup, file: SourceFile, line: number): string | undefined {
  if (group.patterns === SECRETS) return secretNamed(piece);
  return group.patterns.find(
    ({ languages, expression, unless }) =>
      languages === undefined && expression.test(piece) && !unless?.(file, line),
  )?.name;
}

/** Longer than any key, so a key that one piece cuts in two is whole in the next. */
const OVERLAP = 200;

/** Cuts a long line into overlapping pieces, which limits the time of built-in patterns. */
function piecesOf(line: string): string[] {
  const step = SEARCHED_LENGTH - OVERLAP;
  const count = Math.max(1, Math.ceil((line.length - OVERLAP) / step));
  return Array.from({ length: count }, (_, i) => line.slice(i * step, i * step + SEARCHED_LENGTH));
}

type Views = Record<View, readonly string[]>;

function viewsOf(text: string, masked: MaskedSource | undefined): Views {
  const lines = (view: string | undefined) => (view ?? text).split('\n');
  return {
    text: lines(text),
    code: lines(masked?.code),
    comments: lines(masked?.comments),
    uncommented: lines(masked?.uncommented),
  };
}

function found(pattern: LinePattern, { line, text }: AddedLine, views: Views, file: SourceFile): boolean {
  // The end of a very large file is not read. There the line itself is searched.
  const seen = (view: View) => searched(views[view][line - 1] ?? text, pattern);
  return (
    pattern.expression.test(seen(pattern.view)) &&
    (pattern.inCode?.test(seen('code')) ?? true) &&
    !pattern.unless?.(file, line)
  );
}

function searched(line: string, { wholeLines }: LinePattern): string {
  return wholeLines || line.length <= SEARCHED_LENGTH ? line : line.trimStart().slice(0, SEARCHED_LENGTH);
}

/** `src/a.ts:3 debug (console.log): console.log(x) [src/a.ts:debug]`. */
export function describeFinding({ path, line, group, pattern, text }: Finding): string {
  const what = group === pattern ? group : `${group} (${pattern})`;
  return `${path}:${line} ${what}: ${oneLine(withoutSecrets(text), 120)} [${path}:${group}]`;
}
