import { asFields, text } from '../../../engine/client/fields.ts';
import type { FiledIssue } from '../findings/summary.ts';
import { fingerprintMark, type IssueDraft, LABELS, OWN_LABEL } from './draft.ts';

/** The GitHub CLI. Arguments go to it as they are, never through a shell. Never rejects. */
export interface GhCli {
  call(args: readonly string[], input?: string): Promise<{ ok: boolean; stdout: string; problem: string }>;
}

/** The most issues of one run: more than that nobody reads. */
export const MOST_ISSUES = 3;

export interface Filed {
  issues: FiledIssue[];
  /** What was not filed, and why. */
  left: { draft: IssueDraft; problem: string }[];
  /** What went wrong besides, such as a label that could not be made. */
  notes: string[];
}

/** Why no issue can be filed here; undefined when it can. */
export async function whyNotHere(gh: GhCli): Promise<string | undefined> {
  const seen = await gh.call(['repo', 'view', '--json', 'nameWithOwner,hasIssuesEnabled']);
  if (!seen.ok) return seen.problem;
  const { nameWithOwner: name, hasIssuesEnabled: enabled } = asFields(parsed(seen.stdout)) ?? {};
  return enabled === false
    ? `${String(name)} has no issues: they are switched off in its settings`
    : undefined;
}

/** Files these issues, at most three. An open one about the same finding gets a comment in the place of a double. */
export async function fileIssues(gh: GhCli, drafts: readonly IssueDraft[]): Promise<Filed> {
  const wanted = drafts.slice(0, MOST_ISSUES);
  const filed: Filed = { issues: [], left: [], notes: [] };
  const open = await openIssues(gh);
  // Without the list of open issues each of them could be a double.
  if ('problem' in open) return { ...filed, left: wanted.map((draft) => ({ draft, problem: open.problem })) };
  let labels: readonly string[] | undefined;
  for (const draft of wanted) {
    const known = open.issues.find(({ body }) => body.includes(fingerprintMark(draft.fingerprint)));
    if (!known) labels ??= await labelsThere(gh, filed.notes);
    const done = known ? await update(gh, draft, known) : await create(gh, draft, labels ?? []);
    if ('problem' in done) filed.left.push({ draft, problem: done.problem });
    else filed.issues.push(done);
  }
  return filed;
}

interface OpenIssue {
  number: number;
  url: string;
  body: string;
}

async function openIssues(gh: GhCli): Promise<{ issues: OpenIssue[] } | { problem: string }> {
  const list = ['issue', 'list', '--state', 'open', '--label', OWN_LABEL];
  const listed = await gh.call([...list, '--limit', '200', '--json', 'number,url,body']);
  if (!listed.ok) return { problem: listed.problem };
  const found = parsed(listed.stdout);
  if (!Array.isArray(found)) return { problem: 'gh issue list gave no list' };
  return {
    issues: found.flatMap((one: unknown) => {
      const fields = asFields(one) ?? {};
      const url = text(fields, 'url');
      if (typeof fields.number !== 'number' || url === undefined) return [];
      return [{ number: fields.number, url, body: text(fields, 'body') ?? '' }];
    }),
  };
}

/** The labels that the repository has, after those that were missing were made. */
async function labelsThere(gh: GhCli, notes: string[]): Promise<string[]> {
  const listed = await gh.call(['label', 'list', '--limit', '500', '--json', 'name']);
  const found = listed.ok ? parsed(listed.stdout) : undefined;
  const there = Array.isArray(found)
    ? found.flatMap((one: unknown) => text(asFields(one) ?? {}, 'name')?.toLowerCase() ?? [])
    : [];
  const usable: string[] = [];
  for (const { name, color, description } of LABELS) {
    if (there.includes(name)) usable.push(name);
    else {
      const made = await gh.call(['label', 'create', name, '--color', color, '--description', description]);
      if (made.ok || /already exists/i.test(made.problem)) usable.push(name);
      else notes.push(`The label ${name} is missing and could not be made: ${made.problem}`);
    }
  }
  return usable;
}

async function create(
  gh: GhCli,
  { title, body, fingerprint }: IssueDraft,
  labels: readonly string[],
): Promise<FiledIssue | { problem: string }> {
  const named = labels.flatMap((label) => ['--label', label]);
  const made = await gh.call(['issue', 'create', '--title', title, '--body-file', '-', ...named], body);
  if (!made.ok) return { problem: made.problem };
  const [url, number] = /https?:\/\/\S+\/issues\/(\d+)/.exec(made.stdout) ?? [];
  if (url === undefined)
    return { problem: 'gh issue create gave no address; look at the issues before you try again' };
  return { number: Number(number), url, title, fingerprint, updated: false };
}

async function update(
  gh: GhCli,
  { title, comment, fingerprint }: IssueDraft,
  { number, url }: OpenIssue,
): Promise<FiledIssue | { problem: string }> {
  const added = await gh.call(['issue', 'comment', String(number), '--body-file', '-'], comment);
  return added.ok ? { number, url, title, fingerprint, updated: true } : { problem: added.problem };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** What somebody typed: which of so many drafts are meant; undefined when that cannot be told. */
export function chosen(answer: string, count: number): number[] | undefined {
  const words = answer.split(/[\s,]+/).filter((word) => word !== '');
  const picked = words.map(Number);
  const isOne = (number: number) => Number.isInteger(number) && number >= 1 && number <= count;
  return words.length > 0 && picked.every(isOne)
    ? [...new Set(picked)].map((number) => number - 1)
    : undefined;
}
