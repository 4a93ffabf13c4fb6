import { type GateOptions, SUPPRESSION_GROUPS } from '../../core/contract/gate-options.ts';
import { fingerprint } from '../../core/loop/verdict.ts';
import { pathMatcher } from '../../core/text/globs.ts';
import type { AddedLine, FileChange } from '../../ports/ports.ts';
import type { Gate, GateContext, Judgement } from '../gate.ts';
import { contentsAt, NOTHING_TO_COMPARE, type Span, workSinceStart } from '../shared/contents.ts';
import { DIRECTIVES } from './directives.ts';
import { isLeftOut } from './files.ts';
import { describeFinding, type FilePair, type Finding, findAdded } from './find.ts';
import {
  isCompared,
  loosened,
  type NewSettings,
  newSettings,
  saysLess,
  sectionOf,
  settingsFinding,
} from './settings.ts';
import { SNIFFS } from './sniffing.ts';
import { suppressionsTraits } from './traits.ts';

const MAX_LINES = 50;

/**
 * No line that was added since the start mutes a linter, a compiler or coverage, or asks whether it is being tested. The
 * agent is told first. When it stops again with the same findings, you are asked. You may allow one by its id.
 */
export const suppressionsGate: Gate<'suppressions'> = {
  ...suppressionsTraits,
  async judge(options, context, signal) {
    const span = await workSinceStart(context);
    if (!span) return { outcome: 'unproven', summary: NOTHING_TO_COMPARE };
    const wanted = options.paths ? pathMatcher(options.paths) : () => true;
    const { onlyPaths } = context.request;
    const own = onlyPaths && new Set(onlyPaths);
    const concerns = (path: string) => wanted(path) && (own?.has(path) ?? true);
    const changes = await context.workspace.changes(span.from, span.to);
    const found = [
      ...(await addedIn(changes, span, context, signal)),
      ...(await settingsIn(changes, span, context, signal)),
    ].filter(({ path }) => concerns(path));
    return judgementOf(found, options, context);
  },
};

/** Finds directives and sniffing code in files whose added lines may hold some. */
async function addedIn(
  changes: readonly FileChange[],
  { from, to }: Span,
  { workspace }: GateContext,
  signal: AbortSignal,
): Promise<Finding[]> {
  const added = pathsOf(await workspace.addedLines(from, to));
  if (added.size === 0) return [];
  signal.throwIfAborted();
  const removed = pathsOf(await workspace.addedLines(to, from));
  const sides = changes
    .map(({ path, change, from: old }) => ({
      old: change === 'added' ? undefined : (old ?? path),
      now: change === 'deleted' ? undefined : path,
    }))
    .filter(({ old, now }) => (now && added.has(now)) || (old && removed.has(old)));
  const [then, now] = await Promise.all([
    contentsAt(
      workspace,
      from,
      sides.flatMap((side) => side.old ?? []),
      signal,
    ),
    contentsAt(
      workspace,
      to,
      sides.flatMap((side) => side.now ?? []),
      signal,
    ),
  ]);
  const at = (texts: Map<string, string>, path: string | undefined) => {
    const text = path === undefined ? undefined : texts.get(path);
    return path === undefined || text === undefined ? undefined : { path, text };
  };
  return findAdded(sides.map((side): FilePair => ({ before: at(then, side.old), after: at(now, side.now) })));
}

const LONGEST_LINE = 500;

/** Lines of a block comment may hold a directive without the beginning of the comment. */
const WORDS =
  /eslint|stylelint|tslint|jshint|biome-ignore|oxlint|deno-lint|phpcs|codingStandards|phpstan|psalm|noinspection|istanbul|c8 |v8 |node:coverage/;

/** The files of lines that may hold something, decided without the rest of the file. */
function pathsOf(lines: readonly AddedLine[]): Set<string> {
  const found = new Set<string>();
  const leftOut = new Map<string, boolean>();
  for (const { path, text } of lines) {
    if (found.has(path)) continue;
    const isOut = leftOut.get(path) ?? isLeftOut(path);
    leftOut.set(path, isOut);
    if (isOut) continue;
    const line = text.slice(0, LONGEST_LINE);
    const mayHold =
      WORDS.test(line) ||
      DIRECTIVES.some(({ expression }) => expression.test(line)) ||
      SNIFFS.some(({ expression, near }) => expression.test(line) || near?.test(line));
    if (mayHold) found.add(path);
  }
  return found;
}

/** Finds settings that are new where the project had others, and lists that leave out more. */
async function settingsIn(
  changes: readonly FileChange[],
  span: Span,
  context: GateContext,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { workspace } = context;
  const found: Finding[] = [];
  for (const { path, change, from } of changes) {
    signal.throwIfAborted();
    if (isLeftOut(path) || change === 'deleted') continue;
    const isNew = change === 'added' || (from !== undefined && nameOf(from) !== nameOf(path));
    const settings = isNew ? newSettings(path) : undefined;
    if (settings) {
      const finding = await newSettingsIn(settings, changes, span, context);
      if (finding) found.push(finding);
    } else if (!isNew && isCompared(path)) {
      const [then, now] = await Promise.all([
        workspace.contentAt(span.from, from ?? path),
        workspace.contentAt(span.to, path),
      ]);
      found.push(...loosened(path, then ?? '', now ?? ''));
    }
  }
  return found;
}

/** Settings that are new where the tool had others. Beside these, and saying what they said, they hold nobody. */
async function newSettingsIn(
  settings: NewSettings,
  changes: readonly FileChange[],
  span: Span,
  context: GateContext,
): Promise<Finding | undefined> {
  const finding = settingsFinding(settings);
  if (settings.folder !== '')
    return (await existedBefore(settings.folder, changes, context)) ? finding : undefined;
  const before = await saidBefore(settings, span, context);
  if (before === undefined) return undefined;
  const text = (await context.workspace.contentAt(span.to, settings.path)) ?? '';
  return saysLess(settings.path, text, before) ? finding : { ...finding, told: true };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Files in which several tools may be set up. */
const SHARED = ['setup.cfg', 'tox.ini', 'pyproject.toml', 'package.json'];

/** What settings of the same tool said at the root at the start; undefined when there were none. */
async function saidBefore(
  { path, tool, usual }: NewSettings,
  { from }: Span,
  { workspace }: GateContext,
): Promise<string[] | undefined> {
  const textsOf = async (names: readonly string[]) =>
    (await Promise.all(names.map((name) => workspace.contentAt(from, name)))).filter(
      (text) => text !== undefined,
    );
  const own = await textsOf(usual.filter((name) => name !== path));
  const heads = [`[${tool}]`, `[${tool}:`, `[${tool}-`, `[tool.${tool}`, `"${tool}Config"`, `"${tool}": {`];
  const shared = (await textsOf(SHARED)).filter((text) => heads.some((head) => text.includes(head)));
  if (own.length + shared.length === 0) return undefined;
  return [...own, ...shared.map((text) => sectionOf(tool, text))];
}

/** Whether a folder was there at the start. A new package brings settings of its own. */
async function existedBefore(
  folder: string,
  changes: readonly FileChange[],
  { workspace, request }: GateContext,
): Promise<boolean> {
  const inside = (path: string) => path.startsWith(`${folder}/`);
  if (changes.some(({ change, path, from }) => change !== 'added' && inside(from ?? path))) return true;
  const { exitCode, stdout } = await workspace.git([
    ...['ls-tree', '--name-only', request.base.commit ?? 'HEAD', '--', `${folder}/`],
  ]);
  return exitCode === 0 && stdout.trim() !== '';
}

function judgementOf(
  found: readonly Finding[],
  options: GateOptions['suppressions'],
  context: GateContext,
): Judgement {
  const { allow = [] } = options;
  const inContract = ({ group, name }: Finding) => allow.includes(group) || allow.includes(name);
  const byName = ({ id }: Finding) => context.request.allowed.includes(id);
  const open = found.filter((finding) => !finding.told && !inContract(finding) && !byName(finding));
  const notes = [
    ...found.filter(inContract).map((finding) => `allowed by the contract: ${describeFinding(finding)}`),
    ...found
      .filter((finding) => finding.told && !inContract(finding))
      .map((finding) => describeFinding(finding)),
  ];
  const named = found.filter((finding) => !inContract(finding) && byName(finding));
  const known = { notes: notes.length > 0 ? notes.slice(0, MAX_LINES) : undefined };
  if (open.length === 0) return { ...known, ...passed(named) };
  const answers = context.request.answers ?? {};
  const answered = Object.hasOwn(answers, context.name) ? answers[context.name] : undefined;
  const isSame = answered?.digest === digestOf(open);
  if (answered?.said === 'approved' && isSame) return { ...known, ...passed([...named, ...open]) };
  const refused = answered?.said === 'rejected' && isSame ? (answered.note ?? 'no') : undefined;
  return { ...known, ...failed(open, refused) };
}

function digestOf(findings: readonly Finding[]): string {
  return fingerprint(findings.map(({ id, text }) => `${id} ${text}`).join('\n'));
}

function passed(allowed: readonly Finding[]): Judgement {
  if (allowed.length === 0) return { outcome: 'pass', summary: 'nothing was muted' };
  return {
    outcome: 'pass',
    summary: `nothing was muted beyond ${counted(allowed)} that a person allowed`,
    exceptions: allowed.slice(0, MAX_LINES).map(describeFinding),
  };
}

const WHAT: Record<Finding['group'], [one: string, more: string]> = {
  lint: ['muted linter', 'muted linters'],
  types: ['muted type check', 'muted type checks'],
  coverage: ['place left out of coverage', 'places left out of coverage'],
  sniffing: ['place that asks whether it is being tested', 'places that ask whether they are being tested'],
  settings: ['exception in the settings of a checker', 'exceptions in the settings of checkers'],
};

function counted(findings: readonly Finding[]): string {
  const counts = SUPPRESSION_GROUPS.flatMap((group) => {
    const count = findings.filter((finding) => finding.group === group).length;
    return count === 0 ? [] : [`${count} ${WHAT[group][count === 1 ? 0 : 1]}`];
  });
  return counts.join(', ');
}

function failed(findings: readonly Finding[], refused: string | undefined): Judgement {
  const rest = findings.length - MAX_LINES;
  const next =
    'remove these lines and mend what they hide: the code has to pass as it is, tested or not. If one is really needed, say why in your final message and stop again: a person is asked about it';
  return {
    outcome: 'fail',
    summary: `added since the start: ${counted(findings)}`,
    evidence: [
      ...findings.slice(0, MAX_LINES).map(describeFinding),
      ...(rest > 0 ? [`and ${rest} more`] : []),
    ],
    next:
      refused === undefined
        ? next
        : `a person said no: "${refused}". Remove these lines and mend what they hide`,
    fingerprint: digestOf(findings),
    asksIfRepeated:
      refused === undefined
        ? `may these stay? ${findings.map(({ path, line, text }) => `${path}:${line} ${text}`).join('; ')}`
        : undefined,
  };
}
