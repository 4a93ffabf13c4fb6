import { quoteForShell } from '../../engine/core/shell/words.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { ghIn } from '../../engine/run/git/pull-request.ts';
import { onTerminal, out, question } from '../../engine/terminal/print.ts';
import type { Report } from '../../read/reflect/findings/report.ts';
import type { FiledIssue } from '../../read/reflect/findings/summary.ts';
import { draftOf, type IssueDraft } from '../../read/reflect/issues/draft.ts';
import {
  chosen,
  fileIssues,
  type GhCli,
  MOST_ISSUES,
  whyNotHere,
} from '../../read/reflect/issues/file-issues.ts';

interface Offered {
  issues: FiledIssue[];
  code: number;
}

/** Asks whether issues are to be filed, and files them. Where nobody can be asked, or gh cannot be used, it prints them. */
export async function offerIssues(
  report: Report,
  project: string,
  { gh = ghIn(project, {}, undefined), asks = onTerminal(), ask = question }: Partial<Asking> = {},
): Promise<Offered> {
  const drafts = report.findings.map(draftOf);
  out('');
  if (drafts.length === 0) {
    out('There is nothing to file an issue about.');
    return { issues: [], code: EXIT.ok };
  }
  if (!asks)
    return printed(
      drafts.slice(0, MOST_ISSUES),
      'Nobody can be asked here, so nothing is filed. The issues:',
    );
  const why = await whyNotHere(gh);
  if (why !== undefined)
    return printed(drafts.slice(0, MOST_ISSUES), `No issue can be filed: ${why}. The issues:`);
  const wanted = await choice(drafts, ask);
  if (wanted === 'interrupted') return { issues: [], code: EXIT.interrupted };
  if (wanted.length === 0) {
    out('Nothing was filed.');
    return { issues: [], code: EXIT.ok };
  }
  return told(await fileIssues(gh, wanted), wanted);
}

export interface Asking {
  gh: GhCli;
  /** Whether there is somebody to ask. */
  asks: boolean;
  ask: (text: string) => Promise<string | undefined>;
}

async function choice(
  drafts: readonly IssueDraft[],
  ask: Asking['ask'],
): Promise<IssueDraft[] | 'interrupted'> {
  const worst = drafts.slice(0, MOST_ISSUES);
  out('Create GitHub issues for these improvements? (y/n/select)');
  out(
    `  y - Create issues for ${drafts.length > worst.length ? `the first ${worst.length} suggestions` : 'all suggestions'}`,
  );
  out('  n - Skip issue creation');
  out('  select - Choose specific suggestions');
  out('');
  for (let tries = 0; tries < 3; tries++) {
    const answer = (await ask('Your choice: '))?.trim().toLowerCase();
    if (answer === undefined) return 'interrupted';
    if (answer === 'y' || answer === 'yes') return worst;
    if (answer === 'n' || answer === 'no' || answer === '') return [];
    if (answer === 's' || answer === 'select') return selected(drafts, ask);
    out('Type y, n or select.');
  }
  return [];
}

async function selected(
  drafts: readonly IssueDraft[],
  ask: Asking['ask'],
): Promise<IssueDraft[] | 'interrupted'> {
  drafts.forEach((draft, index) => {
    out(`  ${index + 1}. ${draft.title}`);
  });
  for (let tries = 0; tries < 3; tries++) {
    const answer = await ask(`Which of them? At most ${MOST_ISSUES} numbers, like 1,3: `);
    if (answer === undefined) return 'interrupted';
    if (answer.trim() === '') return [];
    const picked = chosen(answer, drafts.length);
    if (picked && picked.length <= MOST_ISSUES) return picked.flatMap((index) => drafts[index] ?? []);
    out(picked ? `Choose at most ${MOST_ISSUES}.` : `Type numbers from 1 to ${drafts.length}.`);
  }
  return [];
}

function told(
  { issues, left, notes }: Awaited<ReturnType<typeof fileIssues>>,
  wanted: readonly IssueDraft[],
): Offered {
  for (const { number, url, title, updated } of issues)
    out(`${updated ? 'Brought up to date' : 'Filed'}: #${number} ${title} ${url}`);
  for (const note of notes) out(note);
  if (left.length === 0) return { issues, code: EXIT.ok };
  const [first] = left;
  printed(
    left.map(({ draft }) => draft),
    `${left.length} of ${wanted.length} issues were not filed: ${first?.problem}. Nothing of them is lost:`,
  );
  return { issues, code: EXIT.refused };
}

/** The issues as Markdown, with the command that files each. */
function printed(drafts: readonly IssueDraft[], why: string): Offered {
  out(why);
  for (const { title, body, labels } of drafts) {
    out('');
    out(`# ${title}`);
    out('');
    for (const line of body.split('\n')) out(line);
    out(`gh issue create --title ${quoteForShell(title)} --label ${labels.join(',')} --body-file -`);
  }
  return { issues: [], code: EXIT.ok };
}
