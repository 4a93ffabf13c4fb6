import { type ChangedFile, findWeakenings } from '../../../src/engine/gates/tests_intact/find-weakenings.ts';
import { openSourceReader } from '../../../src/engine/project/source/parser.ts';

const reader = openSourceReader();

/** The ids of what is found in changed files. */
export async function weakeningsIn(files: readonly ChangedFile[]): Promise<string[]> {
  const { findings } = await findWeakenings(files, reader);
  return findings.map(({ id, weight }) => (weight === 'loss' ? id : `(${id})`));
}

/** What, the file then, the file now, ids of the findings. */
export type SourceRow = [what: string, before: string, after: string, ids: string[]];

export type ConfigRow = [
  path: string,
  what: string,
  before: string | undefined,
  after: string | undefined,
  ids: string[],
];

/** The ids of what is found in one file, which is `*` in them. */
export async function idsOf(
  path: string,
  before: string | undefined,
  after: string | undefined,
): Promise<string[]> {
  const file = {
    ...(before === undefined ? {} : { from: path, before }),
    ...(after === undefined ? {} : { to: path, after }),
  };
  return (await weakeningsIn([file])).map((id) => id.replace(path, '*'));
}

export const PYPROJECT = `[tool.pytest.ini_options]
addopts = "--strict-markers --cov-fail-under=90"
xfail_strict = true

[tool.coverage.report]
fail_under = 85

[tool.mypy]
strict = true
`;
