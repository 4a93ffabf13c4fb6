/** Python: pip, uv, poetry, and pytest, unittest, tox and nox. */

export const sources = /^py$/;

export const tests = [/(?:^|\/)conftest\.\w+$/, /\.ambr$/];

export const runnerSettings = [
  /(?:^|\/)\.(?:coveragerc|pytest\.ini)[^/]*$/,
  /(?:^|\/)(?:pytest|tox)\.ini$|(?:^|\/)noxfile\.py$|(?:^|\/)(?:site|user)customize\.py$|\.pth$/,
  // Modules of this name would be loaded in place of the runner.
  /(?:^|\/)(?:pytest|_pytest|unittest|pluggy|iniconfig|xdist)(?:\.py$|\/.*\.py$)/,
];

export const dependencyFiles = [
  /(?:^|\/)(?:pyproject\.toml|setup\.(?:cfg|py)|Pipfile(?:\.lock)?|(?:poetry|uv|pdm)\.lock|[\w.-]*requirements[\w.-]*\.(?:txt|in))$/,
];

export const inputs = [
  'pyproject.toml',
  'uv.lock',
  'poetry.lock',
  'Pipfile',
  'Pipfile.lock',
  'requirements*.txt',
  'requirements/**',
  'setup.py',
  'setup.cfg',
  '.python-version',
];
