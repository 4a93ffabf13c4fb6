/** Parts of the insights that other rooms keep: lessons, and how long hooks took. */
import { basename, join } from 'node:path';
import { sentence } from '../../../engine/core/lessons/lesson.ts';
import { namesIn } from '../../../engine/files/whole-file.ts';
import { type Home, projectFolder } from '../../../engine/home/layout.ts';
import { type ProjectLessons, readLessons } from '../../../engine/home/lessons/files.ts';
import type { Insights, LessonView } from '../view/insight-types.ts';
import { hookLatency } from './latency.ts';

/** One project, by its name in the home and its folder, where that is known. */
export interface ProjectAsked {
  id: string;
  path?: string;
}

const MOST_PROJECTS = 500;
/** Up to 32 MB of lines are read for it. */
const KEPT_MS = 10_000;

export class KnownElsewhere {
  private readonly home: Home;
  private readonly only: readonly string[];
  private readonly clock: { now(): number };
  private kept: { key: string; at: number; latency: NonNullable<Insights['latency']> } | undefined;

  constructor(home: Home, only: readonly string[], clock: { now(): number }) {
    this.home = home;
    this.only = only;
    this.clock = clock;
  }

  async lookBack(
    since: number,
    project: ProjectAsked | undefined,
  ): Promise<Pick<Insights, 'latency' | 'lessons'>> {
    const latency = await this.latency(since, project);
    const lessons = this.lessons(since, project);
    return { ...(latency.length > 0 ? { latency } : {}), ...(lessons.length > 0 ? { lessons } : {}) };
  }

  private async latency(
    since: number,
    project: ProjectAsked | undefined,
  ): Promise<NonNullable<Insights['latency']>> {
    const now = this.clock.now();
    const key = `${Math.round((now - since) / 3_600_000)} ${project?.id ?? ''}`;
    if (this.kept?.key === key && now - this.kept.at < KEPT_MS) return this.kept.latency;
    // Without its folder nothing can be told to be of a project.
    const asked = project ? (project.path === undefined ? [] : [project.path]) : undefined;
    const latency = await hookLatency(
      this.home,
      since,
      asked ?? (this.only.length > 0 ? this.only : undefined),
    );
    this.kept = { key, at: now, latency };
    return latency;
  }

  private lessons(since: number, project: ProjectAsked | undefined): LessonView[] {
    return this.folders(project)
      .slice(0, MOST_PROJECTS)
      .flatMap((id) => {
        const folder = join(this.home.projects, id);
        try {
          return lessonViews(readLessons(this.home, folder, this.clock.now()), id, since);
        } catch {
          return [];
        }
      });
  }

  private folders(project: ProjectAsked | undefined): string[] {
    const { home, only } = this;
    const names =
      only.length > 0 ? only.map((path) => basename(projectFolder(home, path))) : namesIn(home.projects);
    return project ? names.filter((name) => name === project.id) : names;
  }
}

/** The lessons of a project that sessions are told, then those that were dropped since. */
function lessonViews({ lessons, dropped }: ProjectLessons, project: string, since: number): LessonView[] {
  const told = lessons.map((lesson): LessonView => {
    const state = lesson.pinned ? 'pinned' : 'told';
    return { id: lesson.id, text: sentence(lesson), project, state, tone: 'open' };
  });
  const gone = dropped.filter(({ at }) => at >= since);
  return [
    ...told,
    ...gone.map(({ id, text }): LessonView => ({ id, text, project, state: 'dropped', tone: 'quiet' })),
  ];
}
