import { UsageError } from '../../engine/core/text/errors.ts';
import { jsonLines, jsonText } from '../../engine/core/text/visible.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { claudeConfigDir } from '../../engine/hook/wiring/project.ts';
import { openProjectToRead, type ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { REFLECTION_MODE } from '../../engine/hook/wiring/reflection.ts';
import { out, warn } from '../../engine/terminal/print.ts';
import { paint } from '../../engine/terminal/style.ts';
import { reportJson } from '../../read/reflect/findings/json.ts';
import { saveSummary } from '../../read/reflect/findings/summary.ts';
import { reportLines, reportMarkdown } from '../../read/reflect/findings/words.ts';
import { draftOf } from '../../read/reflect/issues/draft.ts';
import { findSessions, projectsFolder } from '../../read/reflect/reading/files.ts';
import { readingProgress } from '../../read/reflect/reading/progress.ts';
import { DAY_MS } from '../flags.ts';
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

const WEEK_MS = 7 * DAY_MS;

/** `untildone reflect`. */
export async function lookBack(what: string | undefined, flags: Flags): Promise<void> {
  if (flags.json && flags.markdown)
    throw new UsageError('--json and --markdown exclude each other: type one of them');
  if (what !== undefined && flags.since !== undefined)
    throw new UsageError('--since is for the sessions of a project: leave it out, or leave out the name');
  process.exitCode = await reflect(what, flags);
}

async function reflect(what: string | undefined, flags: Flags): Promise<number> {
  const world = openProjectToRead();
  let looked: Looked;
  try {
    looked = await look(what, flags, world);
  } catch (error) {
    if (!(error instanceof NothingToReflectOn)) throw error;
    if (flags.json) out(jsonText({ nothing: error.message }));
    else warn(`untildone: ${error.message}`);
    return EXIT.no;
  }
  const { report } = looked;
  show(looked, flags);
  const offered =
    flags.issues && !flags.json ? await offerIssues(report, world.project) : { issues: [], code: EXIT.ok };
  // Of a whole project there is no one place for a summary.
  if (report.scope.kind !== 'project' || offered.issues.length > 0) save(looked, world, offered.issues);
  return offered.code;
}

async function look(what: string | undefined, flags: Flags, world: ProjectPorts): Promise<Looked> {
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
  { report, loopDir, project }: Looked,
  world: ProjectPorts,
  issues: Parameters<typeof saveSummary>[2],
): void {
  // Reflection that is asked for from within a reflection leaves no trace.
  if (world.env[REFLECTION_MODE] === '1') return;
  const place = { home: world.home, project: project ?? world.project, now: world.clock.now(), loopDir };
  const { problems } = saveSummary(report, place, issues);
  for (const problem of problems) warn(`untildone: the summary was not saved: ${problem}`);
}

/** Less than this is read before anybody could see that it is. */
const WORTH_SHOWING = 20_000_000;

/** Shows on a terminal how much was read; nothing elsewhere. */
function progressOn() {
  let shown: ReturnType<typeof readingProgress> | undefined;
  return {
    begin: (bytes: number, what: string) => {
      if (bytes >= WORTH_SHOWING) shown = readingProgress(bytes, what, process.stderr, paint);
    },
    progress: (bytes: number) => shown?.add(bytes),
    end: () => shown?.end(),
  };
}
