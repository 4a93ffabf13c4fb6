/** The branches of `case` that the scripts for bash and zsh share. Both keep the command that was typed so far in a variable. */
import type { CompletedCommand, Values } from './model.ts';

/** One branch a command: its name behind the command above it. */
export function pathCases(commands: readonly CompletedCommand[], variable: string): string[] {
  return commands
    .filter(({ name }) => name !== '')
    .map(({ name }) => {
      const above = name.split(' ').slice(0, -1).join(' ');
      return `    '${above} ${name.split(' ').at(-1)}') ${variable}='${name}' position=0 ;;`;
    });
}

/** One branch a spelling of an option that takes a value: `skip` when it always does, `maybe` when it may. */
export function takingCases(commands: readonly CompletedCommand[]): string[] {
  return commands.flatMap(({ name, options }) =>
    options
      .filter(({ takes }) => takes !== 'nothing')
      .flatMap(({ spellings, takes }) =>
        spellings.map(
          (spelling) => `    '${name} ${spelling}') ${takes === 'a value' ? 'skip' : 'maybe'}=1 ;;`,
        ),
      ),
  );
}

/** One branch an option that takes a value: which values. */
export function valueCases(
  commands: readonly CompletedCommand[],
  assigned: (values: Values) => string,
): string[] {
  return commands.flatMap(({ name, options }) =>
    options
      .filter(({ takes }) => takes !== 'nothing')
      .map(
        ({ spellings, values }) =>
          `    ${spellings.map((spelling) => `'${name} ${spelling}'`).join(' | ')}) ${assigned(values)} ;;`,
      ),
  );
}

/** One branch an argument. `said` are its values; at the first argument, a subcommand may stand as well. */
export function argumentCases(
  commands: readonly CompletedCommand[],
  said: (values: Values, subcommands: CompletedCommand['commands']) => string,
): string[] {
  return commands.flatMap((command) => {
    const none = command.arguments.length === 0 && command.commands.length > 0;
    const all: readonly Values[] = none ? [{ kind: 'none' }] : command.arguments;
    return all.map((values, at) => {
      const position = command.more && at === all.length - 1 ? '*' : String(at);
      return `    '${command.name}:'${position}) ${said(values, at === 0 ? command.commands : [])} ;;`;
    });
  });
}
