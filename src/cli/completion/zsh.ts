import { singleQuoted } from '../../engine/core/shell/words.ts';
import { argumentCases, pathCases, takingCases, valueCases } from './cases.ts';
import type { CompletedCommand, Values } from './model.ts';

/** The script for zsh: a file of that name in `$fpath`, or the text for `eval`. */
export function zshCompletion(commands: readonly CompletedCommand[]): string[] {
  return [
    '#compdef untildone',
    '# Completion of untildone for zsh. Write it again after an update: untildone completion zsh',
    '_untildone() {',
    '  local word path_= skip= maybe= free= kind= prev= i position=0 line',
    '  local -a names options values loops',
    '  for ((i = 2; i < CURRENT; i++)); do',
    '    word=$words[i]',
    '    if [[ -n $skip ]]; then skip=; continue; fi',
    '    if [[ -n $free ]]; then position=$((position + 1)); continue; fi',
    '    maybe=',
    '    case "$path_ $word" in',
    ...pathCases(commands, 'path_'),
    ...takingCases(commands),
    "    *' --') free=1 ;;",
    "    *' -'*) ;;",
    '    *) position=$((position + 1)) ;;',
    '    esac',
    '  done',
    '  if [[ -n $skip || ( -n $maybe && $PREFIX != -* ) ]]; then prev=$words[CURRENT-1]; fi',
    '  if [[ -z $free && $PREFIX == --*=* ]]; then',
    '    prev=$' + '{PREFIX%%=*}',
    "    compset -P '*='",
    '  fi',
    '  if [[ -n $prev ]]; then',
    '    case "$path_ $prev" in',
    ...valueCases(commands, assigned),
    '    esac',
    '  else',
    '    case $path_ in',
    ...optionCases(commands),
    '    esac',
    '    case $path_:$position in',
    ...argumentCases(commands, argument),
    '    esac',
    '    if [[ -z $free && $PREFIX == -* ]]; then',
    '      _describe -t options option options',
    '      return',
    '    fi',
    '  fi',
    '  case $kind in',
    '  files) _files ;;',
    '  loops-*)',
    '    for line in $' + '{(f)"$($words[1] completion --loops $' + '{kind#loops-} 2>/dev/null)"}; do',
    '      loops+=("$' + '{line%% *}:$' + '{line#*  }")',
    '    done',
    '    _describe -t loops loop loops',
    '    ;;',
    '  esac',
    '  (( $#names )) && _describe -t commands command names',
    '  (( $#values )) && _describe -t values value values',
    '  if [[ -z $kind$prev$free ]] && (( ! $#names && ! $#values )); then',
    '    _describe -t options option options',
    '  fi',
    '}',
    'if [[ $funcstack[1] == _untildone ]]; then _untildone "$@"; else compdef _untildone untildone; fi',
  ];
}

/** The values of an argument, and the subcommands that may stand there. */
function argument(values: Values, subcommands: CompletedCommand['commands']): string {
  if (subcommands.length === 0) return assigned(values);
  const names = subcommands.map(({ name, description }) => described(name, description));
  return `names=(${names.join(' ')})${values.kind === 'none' ? '' : `; ${assigned(values)}`}`;
}

function optionCases(commands: readonly CompletedCommand[]): string[] {
  return commands.map(({ name, options }) => {
    const all = options.map(({ spellings, description }) => described(spellings[0] ?? '', description));
    return `    '${name}') options=(${all.join(' ')}) ;;`;
  });
}

/** A name and what it means, as `_describe` takes them. */
function described(name: string, description: string): string {
  return singleQuoted(`${name.replaceAll(':', '\\:')}:${description}`);
}

function assigned(values: Values): string {
  switch (values.kind) {
    case 'words':
      return `values=(${values.words.map((word) => singleQuoted(word.replaceAll(':', '\\:'))).join(' ')})`;
    case 'loops':
      return `kind=loops-${values.which}`;
    case 'files':
      return 'kind=files';
    case 'none':
      return 'kind=none';
  }
}
