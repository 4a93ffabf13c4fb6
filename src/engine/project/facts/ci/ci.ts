/** What the project's own CI does: the best witness of how it is tested and checked. */
import { join } from 'node:path';
import type { CiStep, NamedVersion } from '../../../core/contract/project-facts.ts';
import { namesIn, readSmall } from '../../../files/whole-file.ts';
import { type CiFile, githubCi } from './github.ts';
import { gitlabCi } from './gitlab.ts';

const WORKFLOWS = '.github/workflows';
const MOST_FILES = 60;
const LARGEST = 512 * 1024;

/** Files whose name says that they test come first. */
const TESTS_FIRST =
  /(?:^|[-_.])(?:ci|tests?|build|main|check|checks|verify|quality|push|pull|pr)(?:[-_.]|$)/i;

export function ciOf(project: string): { steps: CiStep[]; versions: NamedVersion[] } {
  const names = namesIn(join(project, WORKFLOWS))
    .filter((name) => /\.ya?ml$/.test(name))
    .sort();
  const ordered = [
    ...names.filter((name) => TESTS_FIRST.test(name)),
    ...names.filter((name) => !TESTS_FIRST.test(name)),
  ];
  const files = ordered.slice(0, MOST_FILES).flatMap((name) => fileAt(project, `${WORKFLOWS}/${name}`));
  const all = [...files.map(githubCi), ...fileAt(project, '.gitlab-ci.yml').map(gitlabCi)];
  return { steps: all.flatMap(({ steps }) => steps), versions: all.flatMap(({ versions }) => versions) };
}

function fileAt(project: string, path: string): CiFile[] {
  try {
    const text = readSmall(join(project, path), LARGEST);
    return text === undefined ? [] : [{ path, text }];
  } catch {
    return [];
  }
}
