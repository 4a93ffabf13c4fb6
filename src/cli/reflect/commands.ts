import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../../core/text/duration.ts';
import { UsageError } from '../../core/text/errors.ts';
import { jsonLines, jsonText } from '../../core/text/visible.ts';
import { EXIT } from '../../core/words/exit-codes.ts';
import { claudeConfigDir } from '../../hook/wiring/project.ts';
import { openWorldToRead, type World } from '../../hook/wiring/world.ts';
import { reportJson } from '../../reflect/findings/json.ts';
import { saveSummary } from '../../reflect/findings/summary.ts';
import { reportLines, reportMarkdown } from '../../reflect/findings/words.ts';
import { draftOf } from '../../reflect/issues/draft.ts';
import { findSessions, projectsFolder } from '../../reflect/reading/files.ts';
import { out, warn } from '../../terminal/print.ts';
import { TerminalRegion } from '../../terminal/text.ts';
import { offerIssues } from './issues.ts';
import { type Looked, lookAt, lookAtProject, NothingToReflectOn } from './reflect.ts';
import { targetOf } from './target.ts';

interface Flags {
  since?: number;
  json: boolean;
  markdown: boolean;
  issues: boolean;
  frustration: boolean;
}

const WEEK_MS = 7 * 86_400_000;

export function addReflectCommand(cli: Command): void {
  cli
    .command('reflect')
    .description(
      'look back on sessions and loops: what repeats, fails or takes long, and what to do about it',
    )
    .argument(
      '[what]',
      'a session or a loop, by its id or the beginning of it, or a transcript (default: the sessions of this project)',
    )
    .option('--since <time>', 'without a name: how far to look back, like 30d or 12h (default 7d)', age)
    .option('--json', 'print JSON', false)
    .option('--markdown', 'print Markdown', false)
    .option('--issues', 'offer to file GitHub issues about what was found (by gh), at most three', false)
    .option('--frustration', 'look for signs of frustration in your prompts, too', false)
    .action(async (what: string | undefined, flags: Flags) => {
      if (flags.json && flags.markdown)
        throw new UsageError('--json and --markdown exclude each other: type one of them');
      if (what !== undefined && flags.since !== undefined)
        throw new UsageError('--since is for the sessions of a project: leave it out, or leave out the name');
      process.exitCode = await reflect(what, flags);
    });
}

function age(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new InvalidArgumentError('Type a time like 30d, 12h or 90m.');
}

async function reflect(what: string | undefined, flags: Flags): Promise<number> {
  const world = openWorldToRead();
  let looked: Looked;
  try {
    looked = await look(what, flags, world);
  } catch (error) {
    if (!(error instanceof NothingToReflectOn)) throw error;
    if (flags.json) out(jsonText({ nothing: error.message }));
    else out(`untildone: ${error.message}`);
    return EXIT.no;
  }
  show(looked, flags);
  const { report } = looked;
  const offered =
    flags.issues && !flags.json ? await offerIssues(report, world.project) : { issues: [], code: EXIT.ok };
  // Of a whole project there is no one place for a summary.
  if (report.scope.kind !== 'project' || offered.issues.length > 0) save(looked, world, offered.issues);
  return offered.code;
}

async function look(what: string | undefined, flags: Flags, world: World): Promise<Looked> {
  const root = projectsFolder(claudeConfigDir(world.env));
  const { end, ...progress } = progressOn();
  const options = {
    frustration: flags.frustration,
    sinceMs: flags.since ?? WEEK_MS,
    ...progress,
  };
  try {
    if (what === undefined)
      return await lookAtProject(world, findSessions(root, { project: world.project }).sessions, options);
    const { sessions } = findSessions(root);
    return await lookAt(
      targetOf(what, { store: world.store, cwd: process.cwd(), sessions }),
      world,
      sessions,
      options,
    );
  } finally {
    end();
  }
}

function show({ report }: Looked, { json, markdown, issues }: Flags): void {
  if (json) {
    const drafts = issues ? { issue_drafts: report.findings.map(draftOf) } : {};
    for (const line of jsonLines({ ...reportJson(report), ...drafts })) out(line);
    return;
  }
  for (const line of markdown ? reportMarkdown(report) : reportLines(report)) out(line);
}

function save(
  { report, loopDir }: Looked,
  { home, project, clock, env }: World,
  issues: Parameters<typeof saveSummary>[2],
): void {
  // Reflection that is asked for from within a reflection leaves no trace.
  if (env.CLAUDE_REFLECTION_MODE === '1') return;
  const { problems } = saveSummary(report, { home, project, now: clock.now(), loopDir }, issues);
  for (const problem of problems) warn(`untildone: the summary was not saved: ${problem}`);
}

const MB = 1_000_000;
/** Less than this is read before anybody could see that it is. */
const WORTH_SHOWING = 20 * MB;

/** Shows on a terminal how much was read; nothing elsewhere. */
function progressOn() {
  const { stderr } = process;
  const region = stderr.isTTY ? new TerminalRegion(stderr) : undefined;
  let all = 0;
  let read = 0;
  return {
    begin: (bytes: number) => {
      all = bytes;
    },
    progress: (bytes: number) => {
      read += bytes;
      if (all >= WORTH_SHOWING)
        region?.draw([`reading transcripts: ${Math.round(read / MB)} of ${Math.round(all / MB)} MB`]);
    },
    end: () => region?.finish([]),
  };
}
