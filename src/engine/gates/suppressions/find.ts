import { type MaskedSource, maskSource } from '../../core/source/mask.ts';
import { oneLine } from '../../core/text/clip.ts';
import { DIRECTIVES, type Directive, type SuppressionGroup } from './directives.ts';
import { isGenerated, isLeftOut, isSettingsFile, isTestFile, languageIn } from './files.ts';
import { SNIFFS, type Sniff } from './sniffing.ts';

/** One place that makes a tool look away, or that asks whether it is being tested. */
export interface Finding {
  /** The name by which you allow it: `eslint-disable:src/a.ts`. */
  id: string;
  path: string;
  line: number;
  group: SuppressionGroup;
  name: string;
  text: string;
  /** It holds nobody. The receipt says it. */
  told?: true;
}

/** A place in one file, then or now. */
export interface Place extends Finding {
  /** It concerns one line or one declaration. */
  narrow: boolean;
  /** The rules that it names. */
  rules: string[];
}

/** A file then and now. */
export interface FilePair {
  before?: { path: string; text: string };
  after?: { path: string; text: string };
}

const LONGEST_FILE = 512 * 1024;
const LONGEST_LINE = 500;
const TEXT_LIMIT = 160;
const NEAR_LINES = 6;

/** Finds what was added in these files. What was there before, in these files or others, is not new. Pure. */
export function findAdded(pairs: readonly FilePair[]): Finding[] {
  const places = pairs.map(({ before, after }) => ({
    before: before ? placesIn(before.path, before.text) : [],
    after: after && !isNewlyGenerated(before, after) ? placesIn(after.path, after.text) : [],
  }));
  const rest = places.map(({ before, after }) => withoutSame(before, after));
  const gone = rest.flatMap(({ before }) => before);
  const added = rest.flatMap(({ before, after }) => withoutCovered(before, after));
  return withoutSame(gone, added).after.map(({ narrow: _, rules: __, ...finding }) => finding);
}

/** A file that a program writes may bring anything. One that only began to say so is written by hand. */
function isNewlyGenerated(before: FilePair['before'], after: { text: string }): boolean {
  return isGenerated(after.text) && (before === undefined || isGenerated(before.text));
}

function placesIn(path: string, given: string): Place[] {
  const text = given.slice(0, LONGEST_FILE);
  const language = languageIn(path, text);
  if (language === undefined || isLeftOut(path)) return [];
  const masked = maskSource(text, language);
  const directives = DIRECTIVES.filter(({ languages }) => languages?.includes(language) ?? true);
  const found = ofOneKind(directives, false);
  const known = new Set(found.map(({ line }) => line));
  found.push(...ofOneKind(directives, true).filter(({ line }) => !known.has(line)));
  const isTest = isTestFile(path);
  // A test of types expects an error on purpose.
  const suppressed = isTest ? found.filter(({ group, narrow }) => group !== 'types' || !narrow) : found;
  if (isTest || isSettingsFile(path)) return suppressed;
  const sniffs = SNIFFS.filter(({ languages }) => languages?.includes(language) ?? true);
  return [...suppressed, ...sniffPlaces(path, masked, sniffs)];

  function ofOneKind(all: readonly Directive[], general: boolean): Place[] {
    return all
      .filter((directive) => (directive.general ?? false) === general)
      .flatMap((directive) => directivePlaces(path, masked, directive));
  }
}

function directivePlaces(path: string, masked: MaskedSource, directive: Directive): Place[] {
  const { name, group, view, narrow, expression } = directive;
  const searched = view === 'code' ? masked.code : masked.comments;
  const shown = view === 'code' ? masked.uncommented : masked.comments;
  const flags = `gm${expression.flags}`;
  return [...searched.matchAll(new RegExp(expression.source, flags))].map((match) => {
    const end = match.index + match[0].length;
    const lineEnd = shown.indexOf('\n', end);
    const words = shown.slice(match.index, lineEnd === -1 ? undefined : lineEnd);
    const text = oneLine(words.replace(/\*\/.*$/s, ''), TEXT_LIMIT);
    const line = masked.lineAt(end - 1);
    const rules = rulesIn(text.slice(oneLine(match[0], TEXT_LIMIT).length));
    const isNarrow = narrow?.test(text) ?? false;
    return { id: `${name}:${path}`, path, line, group, name, text, rules, narrow: isNarrow };
  });
}

function sniffPlaces(path: string, masked: MaskedSource, sniffs: readonly Sniff[]): Place[] {
  const lines = masked.uncommented.split('\n').map((line) => line.slice(0, LONGEST_LINE));
  return lines.flatMap((line, i) =>
    sniffs
      .filter(({ expression, unlessLine }) => expression.test(line) && !unlessLine?.test(line))
      .flatMap((sniff): Place[] => {
        const { name, near, unlessNext, unlessFile } = sniff;
        const around = near && lines.slice(i, i + NEAR_LINES).find((one) => near.test(one));
        if (near && around === undefined) return [];
        if (unlessNext && isHarmless(lines, i, unlessNext)) return [];
        if (unlessFile?.test(masked.uncommented)) return [];
        const text = oneLine(around === undefined || around === line ? line : `${line} ... ${around}`, 160);
        return [
          {
            id: `${name}:${path}`,
            path,
            line: i + 1,
            group: 'sniffing',
            name,
            text,
            rules: [],
            narrow: true,
          },
        ];
      })
      .slice(0, 1),
  );
}

/** Whether the rest of the line, or the next line that says something, is what `harmless` names. */
function isHarmless(lines: readonly string[], at: number, harmless: RegExp): boolean {
  const rest = (lines[at] ?? '').replace(/^[^\]]*\]/, '');
  if (rest.trim() !== '') return harmless.test(rest);
  const next = lines.slice(at + 1, at + NEAR_LINES).find((line) => line.trim() !== '');
  return next === undefined || harmless.test(next);
}

/** Leaves out what is the same on both sides, as many times as it is there on both. */
function withoutSame(before: readonly Place[], after: readonly Place[]): { before: Place[]; after: Place[] } {
  const left = [...before];
  const kept = after.filter(({ name, text }) => {
    const at = left.findIndex((old) => old.name === name && old.text === text);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  return { before: left, after: kept };
}

/** Leaves out what the same file had already in a form that says as much or more. */
function withoutCovered(before: readonly Place[], after: readonly Place[]): Place[] {
  const left = [...before];
  return after.filter((place) => {
    const at = left.findIndex((old) => covers(old, place));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function covers(old: Place, now: Place): boolean {
  if (old.name !== now.name || (old.narrow && !now.narrow)) return false;
  // Without the name of a rule, a directive is about all of them.
  if (old.group === 'sniffing' || old.rules.length === 0) return true;
  return now.rules.length > 0 && now.rules.every((rule) => old.rules.includes(rule));
}

/** The rules that follow a directive. What follows two dashes is a reason. */
function rulesIn(rest: string): string[] {
  const [said = ''] = rest.replace(/^[\w-]+/, '').split(/\s-{2}\s/, 1);
  return (said.match(/[\w@/-]+/g) ?? []).filter((word) => /\w/.test(word));
}

/** `src/a.ts:3 lint: // eslint-disable-line no-console [eslint-disable:src/a.ts]`. */
export function describeFinding({ id, path, line, group, text }: Finding): string {
  return `${path}:${line} ${group}: ${text} [${id}]`;
}
