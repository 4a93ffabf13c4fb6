import type { CompletedCommand, CompletedOption, Values } from './model.ts';

/** The script for fish. It goes into ~/.config/fish/completions/untildone.fish. */
export function fishCompletion(commands: readonly CompletedCommand[]): string[] {
  return [
    '# Completion of untildone for fish. Write it again after an update: untildone completion fish',
    ...pathFunction(commands),
    'function __untildone_loops',
    "  untildone completion --loops $argv[1] 2>/dev/null | string replace -r '^(\\S+) +' '$1\\t'",
    'end',
    'complete -c untildone -e',
    'complete -c untildone -f',
    ...commands.flatMap(linesOf),
  ];
}

/** `__untildone_at PATH [POSITION]`: whether this command is being typed, and so many of its arguments are there. */
function pathFunction(commands: readonly CompletedCommand[]): string[] {
  const names = commands
    .filter(({ name }) => name !== '')
    .map(({ name }) => {
      const above = name.split(' ').slice(0, -1).join(' ');
      return `    case ${quoted(`${above} ${name.split(' ').at(-1)}`)}`;
    });
  const taking = commands.flatMap(({ name, options }) =>
    options
      .filter(({ takes }) => takes === 'a value')
      .flatMap(({ spellings }) => spellings.map((spelling) => quoted(`${name} ${spelling}`))),
  );
  return [
    'function __untildone_at',
    "  set -l path ''",
    '  set -l position 0',
    '  set -l skip 0',
    '  set -l words (commandline -opc)',
    '  for word in $words[2..-1]',
    '    if test $skip = 1',
    '      set skip 0',
    '      continue',
    '    end',
    '    switch "$path $word"',
    ...names.flatMap((one) => [one, '      set path (string trim -- "$path $word")', '      set position 0']),
    ...(taking.length > 0 ? [`    case ${taking.join(' ')}`, '      set skip 1'] : []),
    "    case '* -*'",
    "    case '*'",
    '      set position (math $position + 1)',
    '    end',
    '  end',
    '  test "$path" = "$argv[1]"; or return 1',
    '  switch "$argv[2]"',
    "    case ''",
    '      return 0',
    "    case '*+'",
    '      test $position -ge (string trim -r -c + -- $argv[2])',
    "    case '*'",
    '      test $position -eq $argv[2]',
    '  end',
    'end',
  ];
}

function linesOf(command: CompletedCommand): string[] {
  const { name, more } = command;
  const last = command.arguments.length - 1;
  return [
    ...command.commands.map((one) => `${at(name, '0')} -a ${quoted(one.name)} -d ${quoted(one.description)}`),
    ...command.arguments.flatMap((values, position) =>
      argumentLine(at(name, more && position === last ? `${position}+` : String(position)), values),
    ),
    ...command.options.map((option) => optionLine(at(name), option)),
  ];
}

function at(name: string, position = ''): string {
  const condition = `__untildone_at ${quoted(name)}${position === '' ? '' : ` ${position}`}`;
  return `complete -c untildone -n ${quoted(condition)}`;
}

function argumentLine(head: string, values: Values): string[] {
  if (values.kind === 'none') return [];
  return [values.kind === 'files' ? `${head} -F` : `${head} -a ${quoted(listed(values))}`];
}

function optionLine(head: string, { spellings, description, takes, values }: CompletedOption): string {
  const flags = spellings.map((one) => (one.startsWith('--') ? `-l ${one.slice(2)}` : `-s ${one.slice(1)}`));
  const words = values.kind === 'words' || values.kind === 'loops' ? ` -a ${quoted(listed(values))}` : '';
  const own = values.kind === 'files' ? ' -r -F' : ` -x${words}`;
  const value = takes === 'a value' ? own : words;
  return `${head} ${flags.join(' ')}${value} -d ${quoted(description)}`;
}

function listed(values: Values): string {
  if (values.kind === 'words') return values.words.join(' ');
  return values.kind === 'loops' ? `(__untildone_loops ${values.which})` : '';
}

/** Fish knows only two escapes between single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
