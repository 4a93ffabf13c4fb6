/** The names that a project has for its commands, and what they run, as far as files tell. */
import type { NamedTask } from '../../core/contract/project-facts.ts';
import { parsedYaml } from './ci/github.ts';
import { mapOf, parsed } from './json.ts';
import { arraysIn, keysIn, tableIn, tablesIn, textsIn, valueIn } from './toml.ts';

type Read = (path: string) => string | undefined;

export const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const MOST_TASKS = 300;

export function tasksOf(read: Read): NamedTask[] {
  const all = [
    makeTasks,
    toxTasks,
    noxTasks,
    justTasks,
    taskfileTasks,
    composerTasks,
    rakeTasks,
    pythonTasks,
  ];
  return all.flatMap((one) => one(read)).slice(0, MOST_TASKS);
}

function firstOf(read: Read, names: readonly string[]): { name: string; text: string } | undefined {
  for (const name of names) {
    const text = read(name);
    if (text !== undefined) return { name, text };
  }
  return undefined;
}

function makeTasks(read: Read): NamedTask[] {
  const file = firstOf(read, MAKEFILES);
  if (!file) return [];
  const variables = makeVariables(file.text);
  const tasks = new Map<string, NamedTask & { lines: string[] }>();
  let open: string[] = [];
  for (const line of joined(file.text).split('\n')) {
    const head = /^([A-Za-z][\w./-]*(?: +[A-Za-z][\w./-]*)*) *::?(?!=)([^;#]*)/.exec(line);
    if (head) {
      open = (head[1] ?? '').split(/ +/);
      const needed = (head[2] ?? '').split('|')[0]?.trim().split(/\s+/) ?? [];
      for (const name of open) {
        const lines = needed.filter((one) => /^[A-Za-z][\w-]*$/.test(one)).map((one) => `make ${one}`);
        const before = tasks.get(name)?.lines ?? [];
        tasks.set(name, { call: `make ${name}`, name, where: file.name, lines: [...before, ...lines] });
      }
    } else if (/^\t/.test(line)) {
      const recipe = withVariables(line.replace(/^[\t ]*[@+-]*/, ''), variables);
      for (const name of open) tasks.get(name)?.lines.push(recipe);
    } else if (line.trim() !== '' && !line.startsWith('#')) open = [];
  }
  return [...tasks.values()];
}

/** Lines that end with a backslash go on. */
function joined(text: string): string {
  const parts = text.split('\\\n');
  const last = parts.length - 1;
  return parts
    .map((part, i) => (i === 0 ? part : part.trimStart()))
    .map((part, i) => (i === last ? part : part.trimEnd()))
    .join(' ');
}

function makeVariables(text: string): Map<string, string> {
  const found = text.matchAll(/^(?:export +)?([A-Za-z_]\w*) *[:?]?= *(.*)$/gm);
  return new Map([...found].map(([, name = '', value = '']) => [name, value.trim()]));
}

function withVariables(line: string, variables: ReadonlyMap<string, string>, depth = 0): string {
  if (depth > 3) return line;
  const filled = line.replace(/\$[({]([A-Za-z_]\w*)[)}]/g, (whole, name: string) => {
    const value =
      name === 'MAKE' ? 'make' : (variables.get(name) ?? (name === name.toLowerCase() ? '' : undefined));
    return value ?? whole;
  });
  return filled === line ? line.replaceAll('$$', '$') : withVariables(filled, variables, depth + 1);
}

/** What tox writes in braces, where it is nothing or the same everywhere. Other words in braces are left out. */
function withoutBraces(line: string): string {
  return line
    .replace(/\{posargs:([^{}]*)\}/g, '$1')
    .replace(/\{(?:envpython|env_python)\}/g, 'python')
    .replace(/\{(?:toxinidir|tox_root)\}\/?/g, '')
    .replace(/\{[^{}]*\}/g, '\0')
    .split(/\s+/)
    .filter((word) => word !== '' && !word.includes('\0'))
    .join(' ');
}

function toxTasks(read: Read): NamedTask[] {
  return [
    ...toxIniTasks(read('tox.ini'), 'tox.ini'),
    ...toxIniTasks(read('setup.cfg'), 'setup.cfg', 'tox:'),
    ...toxTomlTasks(read('pyproject.toml') ?? ''),
  ];
}

function toxIniTasks(text: string | undefined, where: string, prefix = ''): NamedTask[] {
  if (text === undefined) return [];
  const sections = text.split(/^(?=\[)/m).flatMap((section) => {
    const name = /^\[([^\]]+)\]/.exec(section)?.[1];
    return name?.startsWith(`${prefix}testenv`) ? [{ name: name.slice(prefix.length), text: section }] : [];
  });
  return sections.flatMap(({ name, text: section }): NamedTask[] => {
    const block = /^commands[ \t]*=((?:.*)(?:\n[ \t]+.*|\n[ \t]*#.*)*)/m.exec(section)?.[1];
    if (block === undefined) return [];
    const lines = block
      .replace(/\\\n/g, ' ')
      .split('\n')
      .map((line) => line.trim().replace(/^-\s*/, ''))
      .filter((line) => line !== '' && !line.startsWith('#') && !/^[\w.,-]+:\s/.test(line))
      .map((line) => withoutBraces(line).split(' ').map(literal).join(' '))
      .filter((line) => line !== '');
    return lines.length === 0 ? [] : [toxTask(name.split(':')[1], lines, where)];
  });
}

/** No shell reads these lines: a star means itself. */
function literal(word: string): string {
  return word.includes('*') ? quoted(word.replace(/["']/g, '')) : word;
}

function toxTask(name: string | undefined, lines: string[], where: string): NamedTask {
  return { call: name === undefined ? 'tox' : `tox -e ${name}`, name: name ?? 'tox', lines, where };
}

function toxTomlTasks(text: string): NamedTask[] {
  const tables = tablesIn(text).filter((name) => /^tool\.tox\.(?:env_run_base$|env\.)/.test(name));
  return tables.flatMap((table) => {
    const value = valueIn(tableIn(text, table), 'commands');
    const lines = arraysIn(value ?? '').map((words) => withoutBraces(words.map(quoted).join(' ')));
    const name = table.endsWith('env_run_base') ? undefined : table.slice('tool.tox.env.'.length);
    return lines.length === 0
      ? []
      : [
          toxTask(
            name,
            lines.filter((line) => line !== ''),
            'pyproject.toml',
          ),
        ];
  });
}

function quoted(word: string): string {
  return /^[\w./:=,@%+{}-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The sessions of a noxfile, as they are written: calls of `session.run` with texts. */
function noxTasks(read: Read): NamedTask[] {
  const text = read('noxfile.py');
  if (text === undefined) return [];
  return text.split(/^(?=(?:async )?def )/m).flatMap((part): NamedTask[] => {
    const name = /^(?:async )?def (\w+)\(/.exec(part)?.[1];
    const runs = [...part.matchAll(/session\.run\(([^()]*)\)/g)].map(([, args = '']) =>
      textsIn(args.replace(/\b\w+\s*=\s*(?:\{[^{}]*\}|\[[^[\]]*\]|"[^"]*"|'[^']*'|\S+)/g, ''))
        .map(quoted)
        .join(' '),
    );
    return name === undefined || runs.length === 0
      ? []
      : [{ call: `nox -s ${name}`, name, lines: runs.filter((line) => line !== ''), where: 'noxfile.py' }];
  });
}

function justTasks(read: Read): NamedTask[] {
  const file = firstOf(read, ['justfile', 'Justfile', '.justfile']);
  if (!file) return [];
  const tasks: (NamedTask & { lines: string[] })[] = [];
  let open: (NamedTask & { lines: string[] }) | undefined;
  for (const line of file.text.split('\n')) {
    const head = /^@?([A-Za-z][\w-]*)((?: +[^:=]*)?): *([^=#]*)(?:#.*)?$/.exec(line);
    if (head) {
      const needed = (head[3] ?? '').split(/\s+/).filter((one) => /^[A-Za-z][\w-]*$/.test(one));
      open = {
        call: `just ${head[1]}`,
        name: head[1] ?? '',
        where: file.name,
        lines: needed.map((one) => `just ${one}`),
      };
      // A recipe that asks for words cannot be called without them.
      const asked = (head[2] ?? '')
        .split(' ')
        .filter((word) => word !== '' && !word.includes('=') && !word.startsWith('*'));
      if (asked.length === 0) tasks.push(open);
    } else if (/^[ \t]+\S/.test(line)) open?.lines.push(line.trim().replace(/^[@-]+/, ''));
    else if (line.trim() !== '' && !line.startsWith('#')) open = undefined;
  }
  return tasks;
}

function taskfileTasks(read: Read): NamedTask[] {
  const file = firstOf(read, ['Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml']);
  const tasks = file ? Object.entries(mapOf(mapOf(parsedYaml(file.text)).tasks)) : [];
  return tasks.map(([name, value]): NamedTask => {
    const { cmds, cmd, deps } =
      Array.isArray(value) || typeof value === 'string'
        ? { cmds: value, cmd: undefined, deps: undefined }
        : mapOf(value);
    const needed = asList(deps).flatMap((one) => (typeof one === 'string' ? [`task ${one}`] : []));
    const lines = [...asList(cmds), ...asList(cmd)].flatMap((one) => {
      if (typeof one === 'string') return [one];
      const { cmd: inner, task } = mapOf(one);
      return typeof inner === 'string' ? [inner] : typeof task === 'string' ? [`task ${task}`] : [];
    });
    return { call: `task ${name}`, name, lines: [...needed, ...lines], where: file?.name ?? '' };
  });
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

function composerTasks(read: Read): NamedTask[] {
  const scripts = mapOf(mapOf(parsed(read('composer.json') ?? '')).scripts);
  return Object.entries(scripts).map(([name, value]) => {
    const lines = asList(value).flatMap((line) =>
      typeof line === 'string'
        ? [
            line
              .replace(/^@php /, 'php ')
              .replace(/^@composer /, 'composer ')
              .replace(/^@/, 'composer '),
          ]
        : [],
    );
    return { call: `composer ${name}`, name, lines, where: 'composer.json' };
  });
}

function rakeTasks(read: Read): NamedTask[] {
  const file = firstOf(read, ['Rakefile', 'rakefile', 'Rakefile.rb']);
  if (!file) return [];
  const named = [...file.text.matchAll(/^[ \t]{0,20}task[ (]{1,3}[:"']?(\w+)/gm)].map(
    ([, name = '']) => name,
  );
  const makers = [
    ...(/Rake::TestTask\.new\b|Minitest::TestTask\.create|Hoe\.spec/.test(file.text) ? ['test'] : []),
    ...(/RSpec::Core::RakeTask\.new\b/.test(file.text) ? ['spec'] : []),
    ...(/RuboCop::RakeTask\.new\b/.test(file.text) ? ['rubocop'] : []),
  ];
  return [...new Set([...makers, ...named])].map((name) => ({
    call: `rake ${name}`,
    name,
    where: file.name,
  }));
}

/** Tables of pyproject.toml with names for commands, and how these are called. */
const PYTHON_TASKS: readonly (readonly [RegExp, (name: string, table: string) => string])[] = [
  [/^tool\.poe\.tasks$/, (name) => `poe ${name}`],
  [/^tool\.pdm\.scripts$/, (name) => `pdm run ${name}`],
  [/^tool\.taskipy\.tasks$/, (name) => `task ${name}`],
  [/^tool\.hatch\.envs\.default\.scripts$/, (name) => `hatch run ${name}`],
  [/^tool\.hatch\.envs\.[\w-]+\.scripts$/, (name, table) => `hatch run ${table.split('.')[3]}:${name}`],
];

function pythonTasks(read: Read): NamedTask[] {
  const text = read('pyproject.toml') ?? '';
  return tablesIn(text).flatMap((table) => {
    const call = PYTHON_TASKS.find(([fits]) => fits.test(table))?.[1];
    if (!call) return [];
    const inside = tableIn(text, table);
    return keysIn(inside).map((name) => {
      const value = valueIn(inside, name) ?? '';
      const table_ = /^\{/.test(value)
        ? (/(?:cmd|shell)\s*=\s*("[^"]*"|'[^']*')/.exec(value)?.[1] ?? '')
        : value;
      const lines = textsIn(table_).map((line) => withoutBraces(line));
      return { call: call(name, table), name, lines, where: 'pyproject.toml' };
    });
  });
}
