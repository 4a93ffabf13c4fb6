/** The command of the status line in Claude Code's settings, and the script in the home that it hands over to. */
import { singleQuoted } from '../core/shell/words.ts';
import type { HookScript } from './hook-line.ts';

export const STATUSLINE_SCRIPT = 'statusline.sh';

/** Prints nothing on a machine without untildone. */
export const STATUSLINE_LINE =
  'h=$' +
  `{UNTILDONE_HOME:-$HOME/.untildone};[ -f "$h/${STATUSLINE_SCRIPT}" ]&&command . "$h/${STATUSLINE_SCRIPT}";:`;

/** Every version wrote the same line. What only looks like it is yours. */
export function isOurStatusline(command: string): boolean {
  return command === STATUSLINE_LINE;
}

/** The text of `statusline.sh`. It finds its Node and its program as `hook.sh` does, and never fails. */
export function statuslineScript({ nodePath, hookEntry, version }: HookScript): string {
  return `# Written by untildone${version === undefined ? '' : ` ${version}`}. Do not edit: install writes it again.
node=${singleQuoted(nodePath)}
entry=${singleQuoted(hookEntry)}
[ -f "$node" ] && [ -x "$node" ] || node=node
# Reading extra certificates triples the start of Node 20.
unset NODE_EXTRA_CA_CERTS
[ -r "$entry" ] && "$node" "$entry" statusline 2>/dev/null
exit 0
`;
}
