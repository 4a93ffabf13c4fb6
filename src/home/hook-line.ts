/**
 * The command line that Claude Code's settings hold, and the script it hands over to.
 *
 * Claude Code runs the line with `/bin/sh -c` on every event of every session, and shows it to the model. So the line is
 * short and names no secret. Where nothing is held, it ends after a few shell builtins. Its text is the same in every scope
 * and on every machine, because Claude Code runs identical commands of one event only once.
 */

const NAMES =
  'h=$' + '{UNTILDONE_HOME:-$HOME/.untildone};s=$CLAUDE_CODE_SESSION_ID;p=$CLAUDE_PROJECT_DIR;c=$p/.claude';

/**
 * Tests of which one has to hold for the line to go on to `hook.sh`: a marker of the session, a marker of a project whose
 * contract guards every session, or the state of a foreign format. The markers are tested with `-f`, because with an empty
 * session id the first path is the folder itself.
 */
const WANTED = [
  '[ -f "$h/active/$s" ]',
  '[ -f "$h/standing$p/.on" ]',
  '[ -e "$c/ralph-loop.local.md" ]',
  '[ -d "$c/runtime/locks" ]',
  '[ "$RALPH_LOOP_DIR" ]',
  '[ -e "$c/data/ralph-loops/current" ]',
  '[ -e "$HOME/.ralph/state/$s" ]',
];

/** Hands over to `hook.sh`. With `command`, a broken script ends the shell with 1; a 2 would count as a refusal. */
const HAND_OVER = 'command . "$h/hook.sh"||exit 1';

/** Records project and process of the session, for `untildone start`: commands of the Bash tool do not know them. */
const RECORD_SESSION =
  "case $s in ''|*[!A-Za-z0-9_-]*);;*)" +
  '[ -d "$h/sessions" ]&&(umask 077;printf \'%s\\n%s\\n\' "$p" "$CLAUDE_PID"' +
  '>"$h/sessions/$s.at")2>/dev/null;;esac';

/** Tests whether a cleared or copied session may have left a loop in this project. */
const LOOP_MAY_BE_LEFT = '[ -f "$h/standing$p/.loops" ]';

/** Tests whether the session begins under a trusted contract: where the project stands is kept then. */
const BEGINS_TRUSTED = '[ -f "$h/standing$p/.trusted" ]';

/** Ends the line unless untildone is set up on this machine and one of the tests holds. */
function guard(wanted: readonly string[]): string {
  return `[ -d "$h" ]||exit 0;${wanted.join('||')}||exit 0`;
}

export const HOOK_LINE = [NAMES, guard(WANTED), HAND_OVER].join(';');

/** The line for tools that change nothing. They are used all the time, so it asks only where rules concern them. */
export const OTHER_TOOLS_LINE = [NAMES, '[ -f "$h/standing$p/.tools" ]||exit 0', HAND_OVER].join(';');

export const SESSION_START_LINE = [
  NAMES,
  RECORD_SESSION,
  guard([...WANTED, LOOP_MAY_BE_LEFT, BEGINS_TRUSTED]),
  HAND_OVER,
].join(';');

/** Whether a version of untildone installed this line. All versions name the home's variable, its default and the script. */
export function isOurLine(command: string): boolean {
  return (
    command.includes('UNTILDONE_HOME') && command.includes('/.untildone') && command.includes('/hook.sh')
  );
}

/** Whether this is the line for tools that change nothing. */
export function isOtherToolsLine(command: string): boolean {
  return isOurLine(command) && command.includes('/.tools"');
}

/** Parses what the SessionStart line wrote; undefined for an empty, torn or foreign text. */
export function parseSessionRecord(text: string): { project: string; pid: number } | undefined {
  const match = /^(.+)\n([1-9]\d*)\n$/s.exec(text);
  if (match?.[1] === undefined) return undefined;
  return { project: match[1], pid: Number(match[2]) };
}

export interface HookScript {
  /** The node that runs the hook. When it is gone, the one on PATH does. */
  readonly nodePath: string;
  readonly hookEntry: string;
}

/** A session is let go when its hook was ended so often in a row while it judged: the next judging would end the same way. */
export const LET_GO_AFTER = 3;

const HELD_UNJUDGED =
  'untildone: something ended the Stop hook while it was running the gates of this loop. So nothing was judged, and you ' +
  'are not done yet. Most often a test or a script of the project does this: it kills by a broad name (pkill, killall), ' +
  'kills its parent, or takes all memory. Find what it is and change it: end only processes that you started yourself, ' +
  'by their process id. Then stop again, and the gates are run again.';

const LET_GO_UNJUDGED =
  'untildone: something ended the Stop hook while it was running the gates, three times in a row or where no count ' +
  'can be kept. This session was let go; nothing is proven, and its loop is still active. `untildone log` names the gates. ' +
  'Find what kills processes, or takes all memory, while they run; then prompt this session to go on.';

/**
 * The text of `hook.sh`, which the line above reads with `$h` set to the untildone home. It becomes the hook, or waits for
 * the hook while gates run. When there is no hook to run, it says once a session that nothing is held, because silence
 * would look like work that was judged.
 */
export function hookScript({ nodePath, hookEntry }: HookScript): string {
  const call = '"$node" "$entry" hook';
  return `# Written by untildone. Do not edit: install and start write it again.
# A run answers the events of its sessions itself.
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
  command -v node >/dev/null || not_held ${quote(message(noNode(nodePath)))}
fi
# Reading extra certificates triples the start of Node 20; gates get them back from this name.
if [ "$\{NODE_EXTRA_CA_CERTS+set}" ]; then
  export UNTILDONE_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS"
  unset NODE_EXTRA_CA_CERTS
fi
# A marker with content says that gates run commands, which may end the hook: a test may kill by name.
marker="$h/active/$CLAUDE_CODE_SESSION_ID"
if [ -s "$marker" ] && [ -f "$marker" ] && [ -r "$entry" ]; then
${waitFor(call)}fi
[ -r "$entry" ] && exec ${call}
command -v untildone >/dev/null && command -v node >/dev/null && exec untildone hook
not_held ${quote(message(noEntry(hookEntry)))}
`;
}

/**
 * Answers a Stop in place of a hook that was ended while it judged. The hook writes `.judging` before it judges and removes
 * it before it answers. The file names the shell that waits, so that other hooks of the session do not mix in. A shell that
 * cannot count does not hold the session, because that could go on for ever.
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

function noNode(nodePath: string): string {
  return (
    `untildone: node was not found (neither ${nodePath} nor on PATH): this session is NOT being held. ` +
    'Install Node.js 20 or newer, then run: untildone install'
  );
}

function noEntry(hookEntry: string): string {
  return (
    `untildone: ${hookEntry} is gone: this session is NOT being held. ` +
    'Install untildone again, then run: untildone install'
  );
}

function message(systemMessage: string): string {
  return JSON.stringify({ systemMessage });
}

/** One word for the shell, whatever the text holds. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
