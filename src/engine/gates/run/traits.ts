import type { GateOptions } from '../../core/contract/gate-options.ts';
import type { GateTraits } from '../../core/contract/gate-traits.ts';
import { quoteForShell } from '../../core/shell/words.ts';
import { redact } from '../../core/text/redact.ts';

export const runTraits = {
  kind: 'run',
  class: 'measured',
  isReusable: () => true,
  commandAnywhere: wholeCommand,
  passesWhen: ({ command, cwd }) => `\`${redact(command)}\` succeeds${cwd ? ` in ${cwd}` : ''}`,
} as const satisfies GateTraits<'run'>;

/** The command with its folder and its variables, as one line. */
function wholeCommand({ command, cwd, env = {} }: GateOptions['run']): string {
  return [
    ...Object.entries(env).map(([name, value]) => `export ${name}=${quoteForShell(value)}`),
    ...(cwd === undefined ? [] : [`cd ${quoteForShell(cwd)}`]),
    command,
  ].join(' && ');
}
