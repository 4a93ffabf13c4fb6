import { argumentCases, pathCases, takingCases, valueCases } from './cases.ts';
import type { CompletedCommand, Values } from './model.ts';

/** The script for bash, from 3.2 on, which macOS has. Only ids of loops are asked for while you type. */
export function bashCompletion(commands: readonly CompletedCommand[]): string[] {
  return [
    '# Completion of untildone for bash. Write it again after an update: untildone completion bash',
    '_untildone() {',
    '  local cur prev word path= skip= maybe= position=0 free= i words= kind= options= line',
    '  COMPREPLY=()',
    // A word is never `prev` when it is `=` that stands between an option and its value.
    '  cur=$' + '{COMP_WORDS[COMP_CWORD]} prev=$' + '{COMP_WORDS[COMP_CWORD-1]}',
    '  if [ "$cur" = = ]; then cur=',
    '  elif [ "$prev" = = ]; then prev=$' + '{COMP_WORDS[COMP_CWORD-2]}; fi',
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    '    word=$' + '{COMP_WORDS[i]}',
    '    if [ "$skip" ]; then',
    '      [ "$word" = = ] || skip=',
    '      continue',
    '    fi',
    '    if [ "$free" ]; then position=$((position + 1)); continue; fi',
    '    maybe=',
    '    case "$path $word" in',
    ...pathCases(commands, 'path'),
    ...takingCases(commands),
    '    *" --") free=1 ;;',
    '    *" -"* | *" =") ;;',
    '    *) position=$((position + 1)) ;;',
    '    esac',
    '  done',
    '  case $skip:$maybe:$cur in 1:* | :1:[!-]* | :1:) ;; *) prev= ;; esac',
    '  case "$path $prev" in',
    ...valueCases(commands, assigned),
    '  *)',
    '    case $path:$position in',
    ...argumentCases(commands, (values, names) => assigned(values, names.map(({ name }) => name).join(' '))),
    '    esac',
    '    case $path in',
    ...optionCases(commands),
    '    esac',
    '    case $free:$cur in',
    '    :-*) words=$options kind= ;;',
    '    :) if [ ! "$words$kind" ]; then words=$options; fi ;;',
    '    esac',
    '    ;;',
    '  esac',
    '  case $kind in',
    '  files)',
    '    compopt -o filenames 2>/dev/null',
    '    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")',
    '    return',
    '    ;;',
    '  loops-*) words="$words $("$' +
      '{COMP_WORDS[0]}" completion --loops "$' +
      '{kind#loops-}" 2>/dev/null | while read -r line _; do echo "$line"; done)" ;;',
    '  esac',
    '  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -W "$words" -- "$cur")',
    '}',
    'complete -F _untildone untildone',
  ];
}

function quoted(text: string): string {
  return `'${text}'`;
}

function optionCases(commands: readonly CompletedCommand[]): string[] {
  return commands.map(({ name, options }) => {
    const spellings = options.map((option) => option.spellings[0]).join(' ');
    return `    ${quoted(name)}) options=${quoted(spellings)} ;;`;
  });
}

function assigned(values: Values, names = ''): string {
  const said = (words: string) => (words === '' ? ':' : `words=${quoted(words)}`);
  switch (values.kind) {
    case 'words':
      return said([names, ...values.words].filter(Boolean).join(' '));
    case 'loops':
      return `kind=loops-${values.which}${names === '' ? '' : ` words=${quoted(names)}`}`;
    case 'files':
      return 'kind=files';
    case 'none':
      return said(names);
  }
}
