/**
 * The command line that Claude Code's settings hold, and the script it hands over to.
 *
 * The client runs the line with `/bin/sh -c` on every event of every session and shows it to the model: it is short,
 * names no secret, and answers "nothing is held here" with shell builtins alone. Its text is the same in every scope and
 * on every machine, because the client runs identical commands of one event once.
 */

const NAMES =
  'h=$' + '{UNTILDONE_HOME:-$HOME/.untildone};s=$CLAUDE_CODE_SESSION_ID;p=$CLAUDE_PROJECT_DIR;c=$p/.claude';

/**
 * Any of these lets the line go on to `hook.sh`. The marker is tested with `-f`: with an empty session id the path is
 * that of the folder itself. A project whose contract guards every session has a marker at its own path below
 * `standing`. The rest is where the formats keep their state.
 */
const WANTED = [
  '[ -f "$h/active/$s" ]',
  '[ -f "$h/standing$p/.on" ]',
  '[ -e "$c/ralph-loop.local.md" ]',
  '[ -e "$c/runtime/locks/.lock_active" ]',
  '[ "$RALPH_LOOP_DIR" ]',
  '[ -e "$c/data/ralph-loops/current" ]',
  '[ -e "$HOME/.ralph/state/$s" ]',
];

/** `command` keeps a missing or broken script from ending the shell with 2, which the client would take for a refusal. */
const HAND_OVER = 'command . "$h/hook.sh"||exit 1';

/** The Bash tool does not know the project: what SessionStart saw is kept for `start` to look up by session. */
const RECORD_SESSION =
  "case $s in ''|*[!A-Za-z0-9_-]*);;*)" +
  '[ -d "$h/sessions" ]&&(umask 077;printf \'%s\\n%s\\n\' "$p" "$CLAUDE_PID"' +
  '>"$h/sessions/$s.at")2>/dev/null;;esac';

/** A loop of this project may have been left behind by a session that was cleared or copied. */
const LOOP_MAY_BE_LEFT = '[ -f "$h/standing$p/.loops" ]';

/** Without a home untildone is not set up on this machine, whatever lies in the project. */
function guard(wanted: readonly string[]): string {
  return `[ -d "$h" ]||exit 0;${wanted.join('||')}||exit 0`;
}

export const HOOK_LINE = [NAMES, guard(WANTED), HAND_OVER].join(';');

/** Tools that change nothing are used all the time: only a project whose rules speak of them pays for being asked. */
export const OTHER_TOOLS_LINE = [NAMES, '[ -f "$h/standing$p/.tools" ]||exit 0', HAND_OVER].join(';');

export const SESSION_START_LINE = [
  NAMES,
  RECORD_SESSION,
  guard([...WANTED, LOOP_MAY_BE_LEFT]),
  HAND_OVER,
].join(';');

/** True of every line that any version installed: each of them names the home's variable, its default and the script. */
export function isOurLine(command: string): boolean {
  return (
    command.includes('UNTILDONE_HOME') && command.includes('/.untildone') && command.includes('/hook.sh')
  );
}

/** Of two lines of ours at one event, the one for tools that change nothing. */
export function isOtherToolsLine(command: string): boolean {
  return isOurLine(command) && command.includes('/.tools"');
}

/** What the SessionStart line wrote; `undefined` of an empty, torn or foreign text. */
export function parseSessionRecord(text: string): { project: string; pid: number } | undefined {
  const match = /^(.+)\n([1-9]\d*)\n$/s.exec(text);
  if (match?.[1] === undefined) return undefined;
  return { project: match[1], pid: Number(match[2]) };
}

export interface HookScript {
  /** The node that runs the hook, as long as it exists; else the one on PATH does. */
  readonly nodePath: string;
  readonly hookEntry: string;
}

/** A session whose hook was ended so often in a row while it judged is let go: the next judging would end like these. */
export const LET_GO_AFTER = 3;

const HELD_UNJUDGED =
  'untildone: something ended the Stop hook while it was running the gates of this loop. So nothing was judged, and you ' +
  'are not done yet. Most often a test or a script of the project does this: it kills by a broad name (pkill, killall), ' +
  'kills its parent, or takes all memory. Find what it is and change it: end only processes that you started yourself, ' +
  'by their process id. Then stop again, and the gates are run again.';

const LET_GO_UNJUDGED =
  'untildone: something ended the Stop hook while it was running the gates, three times in a row or where no count ' +
  'can be kept. This session was let go; nothing is proven, and its loop is still active. Which gates: untildone log. Find ' +
  'what kills processes, or takes all memory, while they run; then prompt this session to go on.';

/**
 * The text of `hook.sh`. It is read by the line above, with `$h` set to the untildone home, and becomes the hook, or waits
 * for it where something may end it, or says once a session that nothing is held: silence would look like work that was
 * judged.
 */
export function hookScript({ nodePath, hookEntry }: HookScript): string {
  const noNode =
    `untildone: node was not found (neither ${nodePath} nor on PATH): this session is NOT being held. ` +
    'Install Node.js 20 or newer, then run: untildone install';
  const noEntry =
    `untildone: ${hookEntry} is gone: this session is NOT being held. ` +
    'Install untildone again, then run: untildone install';
  const call = '"$node" "$entry" hook';
  return `# Written by untildone. Do not edit: install and start write it again.
# A run answers the events of its sessions itself; nothing is judged twice.
if [ "$\{UNTILDONE_RUN+set}" ]; then
  kill -0 "$UNTILDONE_RUN_PID" 2>/dev/null && exit 0
  printf '%s\\n' '{"continue":false,"stopReason":"untildone: the runner of this session is gone; it goes on with: untildone run --resume"}'
  exit 0
fi
not_held() {
  told="$h/active/$CLAUDE_CODE_SESSION_ID.unheld"
  [ -e "$told" ] && exit 0
  (umask 077; : >"$told") 2>/dev/null
  printf '%s\\n' "$1"
  exit 0
}
node=${quote(nodePath)}
entry=${quote(hookEntry)}
if ! { [ -f "$node" ] && [ -x "$node" ]; }; then
  node=node
  command -v node >/dev/null || not_held ${quote(message(noNode))}
fi
# Reading extra certificates triples the start of Node 20; gates get them back from this name.
if [ "$\{NODE_EXTRA_CA_CERTS+set}" ]; then
  export UNTILDONE_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS"
  unset NODE_EXTRA_CA_CERTS
fi
# A marker that is not empty: gates are run that take their time, and may end the hook (a test that kills by name).
marker="$h/active/$CLAUDE_CODE_SESSION_ID"
if [ -s "$marker" ] && [ -f "$marker" ] && [ -r "$entry" ]; then
${waitFor(call)}fi
[ -r "$entry" ] && exec ${call}
command -v untildone >/dev/null && command -v node >/dev/null && exec untildone hook
not_held ${quote(message(noEntry))}
`;
}

/**
 * Answers a Stop in the place of a hook that was ended while it judged. The hook writes `.judging` before and takes it away
 * before it answers; the file names the shell that waits, because other hooks of the session are no concern of this one.
 * Who cannot count does not hold: it would be for ever.
 */
function waitFor(call: string): string {
  return `  ${call}
  status=$?
  by=
  [ -f "$marker.judging" ] && read -r by <"$marker.judging"
  [ "$by" = "$$" ] || exit "$status"
  cut=
  [ -f "$marker.cut" ] && read -r cut <"$marker.cut"
  case $cut in
  ${'x'.repeat(LET_GO_AFTER - 1)}*) cut=${'x'.repeat(LET_GO_AFTER)} held= ;;
  *) cut=x$cut held=1 ;;
  esac
  (umask 077; echo "$cut" >"$marker.cut") 2>/dev/null || held=
  if [ "$held" ]; then
    printf '%s\\n' ${quote(JSON.stringify({ decision: 'block', reason: HELD_UNJUDGED }))}
  else
    printf '%s\\n' ${quote(message(LET_GO_UNJUDGED))}
  fi
  exit 0
`;
}

function message(systemMessage: string): string {
  return JSON.stringify({ systemMessage });
}

/** One word for the shell, whatever the text holds. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
