import type { Finding } from './model.ts';

export interface SnapshotPair {
  path: string;
  before?: string;
  after?: string;
}

const FILES = /\.snap$|\.ambr$|\.snap\.(md|json|txt)$|(^|\/)__(image_)?snapshots__\//;
/** Fewer rewritten snapshots are the normal result of a changed behaviour. */
const MANY = 3;
const MOST = 0.5;
/** For snapshots that are one file each: how many in one folder are too many. */
const MANY_FILES = 5;

export function isSnapshot(path: string): boolean {
  return FILES.test(path);
}

/** Finds rewritten and deleted snapshots: both accept whatever the code does now. */
export function compareSnapshots(pairs: readonly SnapshotPair[]): Finding[] {
  const single: SnapshotPair[] = [];
  const findings = pairs.flatMap((pair): Finding[] => {
    const { path, before, after } = pair;
    if (before === undefined) return [];
    const then = entriesOf(before);
    if (then.size === 0) {
      single.push(pair);
      return [];
    }
    if (after === undefined)
      return [{ id: `snapshot:${path}`, path, text: `${count(then.size)} deleted`, weight: 'suspicion' }];
    const now = entriesOf(after);
    const rewritten = [...then].filter(([name, text]) => now.has(name) && now.get(name) !== text).length;
    if (rewritten < MANY || rewritten / then.size < MOST) return [];
    return [
      {
        id: `snapshot:${path}`,
        path,
        text: `${rewritten} of ${count(then.size)} rewritten`,
        weight: 'suspicion',
      },
    ];
  });
  return [...findings, ...singleFiles(single)];
}

function count(n: number): string {
  return n === 1 ? '1 snapshot' : `${n} snapshots`;
}

/** Jest and Vitest: `exports[`name 1`] = ...;`. Syrupy: `# name: ...`. */
function entriesOf(text: string): Map<string, string> {
  const heads = [...text.matchAll(/^exports\[`((?:\\.|[^`\\])*)`\] = |^# name: (.*)$/gm)];
  return new Map(
    heads.map((head, i) => [
      head[1] ?? head[2] ?? '',
      text.slice(head.index + head[0].length, heads[i + 1]?.index ?? text.length).trim(),
    ]),
  );
}

function singleFiles(pairs: readonly SnapshotPair[]): Finding[] {
  const folders = new Map<string, number>();
  for (const { path } of pairs) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  return [...folders].flatMap(([folder, files]) =>
    files < MANY_FILES
      ? []
      : [
          {
            id: `snapshot:${folder}`,
            path: folder || '.',
            text: `${count(files)} rewritten or deleted`,
            weight: 'suspicion',
          },
        ],
  );
}
