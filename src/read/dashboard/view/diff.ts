import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { redact } from '../../../engine/core/text/redact.ts';
import { runGit } from '../../../engine/project/git.ts';
import type { DiffFile, DiffView } from './loop-types.ts';

const MOST_BYTES = 512 * 1024;
const MOST_FILES = 100;
const MOST_LINES = 400;
const LONGEST_LINE = 500;
const TIME_MS = 10_000;
const TREE = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/** What changed between two kept trees of a loop; in bounded time, bounded size. Never throws. */
export async function diffBetween(loopDir: string, from: string | undefined, to: string): Promise<DiffView> {
  if (from === undefined || !TREE.test(from) || !TREE.test(to))
    return {
      files: [],
      more: 0,
      problem: 'the work was not kept at the Stop before, so there is nothing to compare',
    };
  if (from === to) return { from, to, files: [], more: 0 };
  const shadow = join(dirname(dirname(loopDir)), 'shadow.git');
  const flags = [
    '-r',
    '-p',
    '-U3',
    '-M',
    '-l500',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
    '--full-index',
  ];
  try {
    const { exitCode, stdout, cut } = await runGit({
      args: ['-c', 'core.quotePath=false', `--git-dir=${shadow}`, 'diff-tree', ...flags, from, to],
      cwd: dirname(shadow),
      env: { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull },
      maxBytes: MOST_BYTES,
      signal: AbortSignal.timeout(TIME_MS),
    });
    if (exitCode !== 0)
      return {
        from,
        to,
        files: [],
        more: 0,
        problem: 'the kept trees are gone: they were pruned, or damaged',
      };
    return { from, to, ...parsePatch(stdout.toString('utf8'), cut) };
  } catch (error) {
    return { from, to, files: [], more: 0, problem: (error as Error).message };
  }
}

/** Reads what git prints. `cut`: the end is missing. */
export function parsePatch(text: string, cut = false): Pick<DiffView, 'files' | 'more'> {
  const parts = text.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '));
  const files = parts.slice(0, MOST_FILES).map(fileOf);
  const last = files.at(-1);
  if (cut && last && parts.length <= MOST_FILES) last.cut = true;
  return { files, more: Math.max(0, parts.length - MOST_FILES) };
}

function fileOf(part: string): DiffFile {
  const lines = part.split('\n');
  const begin = lines.findIndex((line) => line.startsWith('@@ '));
  const header = begin < 0 ? lines : lines.slice(0, begin);
  const said = (start: string) => header.find((line) => line.startsWith(start))?.slice(start.length);
  const renamedFrom = said('rename from ');
  const before = nameOf(renamedFrom) ?? nameOf(said('--- '), 'a/');
  const after = nameOf(said('rename to ')) ?? nameOf(said('+++ '), 'b/');
  const change =
    said('new file mode ') !== undefined
      ? 'added'
      : said('deleted file mode ') !== undefined
        ? 'removed'
        : renamedFrom !== undefined
          ? 'renamed'
          : 'changed';
  const path = (change === 'removed' ? before : after) ?? nameOf(/ b\/(.*)$/.exec(lines[0] ?? '')?.[1]) ?? '';
  const isBinary = said('Binary files ') !== undefined;
  const body = begin < 0 ? [] : lines.slice(begin);
  const shown = body.slice(0, MOST_LINES);
  return {
    path,
    change,
    added: count(body, '+'),
    removed: count(body, '-'),
    ...(change === 'renamed' && before !== undefined ? { before } : {}),
    ...(isBinary ? { binary: true as const } : { hunks: hunksOf(shown) }),
    ...(body.length > shown.length ? { cut: true as const } : {}),
  };
}

function count(body: readonly string[], sign: '+' | '-'): number {
  return body.filter((line) => line.startsWith(sign)).length;
}

function hunksOf(lines: readonly string[]): { header: string; lines: string[] }[] {
  const hunks: { header: string; lines: string[] }[] = [];
  for (const line of lines) {
    const shown = redact(line.slice(0, LONGEST_LINE));
    if (line.startsWith('@@ ')) hunks.push({ header: shown, lines: [] });
    else if (line !== '') hunks.at(-1)?.lines.push(shown);
  }
  return hunks;
}

/** Undefined for `/dev/null`. Git puts odd names in quotes, with escapes as in C. */
function nameOf(said: string | undefined, prefix = ''): string | undefined {
  if (said === undefined || said === '/dev/null') return undefined;
  const text = said.replace(/\t$/, '');
  const plain = text.startsWith('"')
    ? text
        .slice(1, -1)
        .replace(/\\(["\\])/g, '$1')
        .replace(/\\t/g, '\t')
        .replace(/\\n/g, '\n')
    : text;
  return plain.startsWith(prefix) ? plain.slice(prefix.length) : plain;
}
