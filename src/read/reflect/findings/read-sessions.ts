import type { SessionFiles } from '../reading/files.ts';
import { type SessionTask, shareOut } from '../reading/share-out.ts';
import { analyseSession } from './analyse.ts';
import type { SessionReport } from './report.ts';
import type { TallyOptions } from './tally.ts';

/** What a thread does with one session. */
export const reflectTask: SessionTask<TallyOptions, SessionReport> = (files, options, progress) =>
  analyseSession(files, options, progress);

export const REFLECT_TASK = 'reflect';

/** Reads sessions side by side. One that cannot be read is a problem of its report. `progress` gets bytes as they are read. */
export async function readSessions(
  sessions: readonly SessionFiles[],
  options: TallyOptions,
  progress: (bytes: number) => void,
): Promise<SessionReport[]> {
  const reports: SessionReport[] = [];
  await shareOut({
    name: REFLECT_TASK,
    task: reflectTask,
    options,
    sessions,
    progress,
    take: (report) => reports.push(report),
    fail: (files, why) => {
      const none = analyseSession({ session: files.session }, options);
      const problem = `${files.transcript ?? files.session}: ${why}`;
      reports.push({ ...none, reading: { ...none.reading, problems: [problem] } });
    },
  });
  return reports;
}
