/**
 * The command line that Claude Code's settings hold, and the script it hands over to.
 *
 * Claude Code runs the line with `/bin/sh -c` on every event of every session, and shows it to the model. So the line is
 * short and names no secret: it finds `hook.sh` in the home and names the event. Where nothing is held, the script ends after
 * a few shell builtins. The line of an event is the same in every scope and on every machine, because Claude Code runs
 * identical commands of one event only once.
 */

import { KNOWN_EVENTS, type KnownEventName } from '../core/loop/event.ts';
import { singleQuoted } from '../core/shell/words.ts';
import { slashed } from '../files/platform.ts';
import { IS_WANTED, insideJson, LET_GO_AFTER, PLACE } from './hold-script.ts';
import { type OlderLineAt, olderLines } from './older-lines.ts';

/** Names the line for tools that change nothing, which has a matcher of its own. */
const OTHER_TOOLS = 'OtherTools';

/**
 * Hands over to `hook.sh`, which ends the shell. When it does not, because it is gone or broken, `hold.sh` answers. Reads
 * neither a folder nor a pipe. With `command`, an error in a script does not end the shell with 2, which means a refusal.
 */
export const HAND_OVER =
  'h=$' +
  '{UNTILDONE_HOME:-$HOME/.untildone};for f in "$h/hook.sh" "$h/hold.sh";do [ -f "$f" ]&&command . "$f";done;:';

export function hookLine(name: KnownEventName | typeof OTHER_TOOLS): string {
  return `untildone=${name};${HAND_OVER}`;
}

export const HOOK_LINE = hookLine('Stop');

export const SESSION_START_LINE = hookLine('SessionStart');

/** The line for tools that change nothing. They are used all the time, so it asks only where rules concern them. */
export const OTHER_TOOLS_LINE = hookLine(OTHER_TOOLS);

/** The line of the plugin for an event, or for tools that change nothing. Claude Code fills in the folder of the plugin. */
export function pluginLine(name: string): string {
  return `untildone=${name}; . "\${CLAUDE_PLUGIN_ROOT}/hooks/hook.sh"`;
}

interface OurLine {
  readonly at: KnownEventName | typeof OTHER_TOOLS | OlderLineAt;
  readonly isOlder: boolean;
}

/** Every line that a version of untildone writes into settings. */
let known: ReadonlyMap<string, OurLine> | undefined;

const NAMES = [...KNOWN_EVENTS, OTHER_TOOLS] as const;

function ourLines(): ReadonlyMap<string, OurLine> {
  known ??= new Map<string, OurLine>([
    ...NAMES.map((at) => [hookLine(at), { at, isOlder: false }] as const),
    ...olderLines().map(([line, at]) => [line, { at, isOlder: true }] as const),
  ]);
  return known;
}

/** Whether a version of untildone wrote this line. It is one of a finite set, as a whole: what only looks like it is not ours. */
export function isOurLine(command: string): boolean {
  return ourLines().has(command);
}

/** Whether a version of the plugin has this line in its hooks. A plugin of 0.1.0 had the lines of the settings. */
export function isPluginLine(command: string): boolean {
  return isOurLine(command) || NAMES.some((name) => command === pluginLine(name));
}

/** Whether this is our line for an event. Those of older versions stood at many events. */
export function isLineOf(event: string, command: string): boolean {
  const at = ourLines().get(command)?.at;
  return at === event || (at === 'other events' && event !== 'SessionStart');
}

/** Whether a version up to 0.1.0 wrote this line: it names no event. */
export function isOlderLine(command: string): boolean {
  return ourLines().get(command)?.isOlder === true;
}

/** Whether this is the line for tools that change nothing. */
export function isOtherToolsLine(command: string): boolean {
  return ourLines().get(command)?.at === OTHER_TOOLS;
}

/** Whether a text that need not be JSON quotes a line of ours, as JSON does. */
export function quotesOurLine(text: string): boolean {
  return [...ourLines().keys()].some((line) => text.includes(JSON.stringify(line)));
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
  /** Of the program; a script without one is taken for an older one. */
  readonly version?: string;
}

/** The status by which a hook says that it has answered. A program that is empty ends with 0, too, and has not. */
const ANSWERED = 64;

/**
 * The text of `hook.sh`, which the line reads with `$h` set to the untildone home and `$untildone` to the event. It ends at
 * once where nothing is held. Otherwise it runs the hook, keeps what the hook prints, and passes it on only if the hook
 * ended in the agreed way: so half an answer, or two, never reach Claude Code. After any other end `hold.sh` answers.
 */
export function hookScript({ nodePath, hookEntry, version }: HookScript): string {
  return `# Written by untildone${version === undefined ? '' : ` ${version}`}. Do not edit: install and start write it again.
s=$CLAUDE_CODE_SESSION_ID
case $s in *[!A-Za-z0-9_-]*) s= ;; esac
${PLACE}
${IS_WANTED}
case $untildone in
'') # The line of an older version, which has asked all this itself. It may stand beside one of today.
  export UNTILDONE_WAY="\${UNTILDONE_WAY:-older}"
  ;;
OtherTools) [ -f "$h/standing$p/.tools" ] || exit 0 ;;
SessionStart)
  # For \`untildone start\`: commands of the Bash tool know neither project nor process of their session.
  # In its own shell the agent has a variable that ends like this: there this event is made up.
  if [ "$s" ] && [ -d "$h/sessions" ] && [ ! -p "$h/sessions/$s.at" ] && [ "$AI_AGENT" = "\${AI_AGENT%_agent}" ]; then
    (umask 077; printf '%s\n%s\n' "$CLAUDE_PROJECT_DIR" "$CLAUDE_PID" >"$h/sessions/$s.at") 2>/dev/null
  fi
  # A cleared or copied session may have left a loop, or the session begins under a trusted contract.
  is_wanted || [ -f "$h/standing$p/.loops" ] || [ -f "$h/standing$p/.trusted" ] || exit 0
  ;;
Stop) is_wanted || [ -f "$c/tools/amplihack/.reflection_config" ] || exit 0 ;;
SessionEnd)
  # Somebody wants to look back on this session.
  is_wanted || [ -f "$c/tools/amplihack/.reflection_config" ] || [ -f "$h/reflections/$s.json" ] || exit 0
  ;;
*) is_wanted || exit 0 ;;
esac
# A run answers the events of its sessions itself.
if [ "$\{UNTILDONE_RUN+set}" ]; then
  kill -0 "$UNTILDONE_RUN_PID" 2>/dev/null && exit 0
  printf '%s\n' '{"continue":false,"stopReason":"untildone: the runner of this session is gone; it goes on with: untildone run --resume"}'
  exit 0
fi
untildone_ran=1 untildone_why= untildone_status=
node=${singleQuoted(slashed(nodePath))}
entry=${singleQuoted(slashed(hookEntry))}
if ! { [ -f "$node" ] && [ -x "$node" ]; }; then
  node=
  command -v node >/dev/null && node=node
fi
# Reading extra certificates triples the start of Node 20; gates get them back from this name.
if [ "$\{NODE_EXTRA_CA_CERTS+set}" ]; then
  export UNTILDONE_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS"
  unset NODE_EXTRA_CA_CERTS
fi
if [ ! "$node" ]; then
  untildone_why=${singleQuoted(noNode(nodePath))}
elif [ -r "$entry" ]; then
  set -- "$node" "$entry" hook
else
  # Another \`untildone\`, such as one on PATH, is not the program that a person has chosen.
  untildone_why=${singleQuoted(noEntry(hookEntry))}
fi
${PASS_ON}
if [ ! "$untildone_why" ]; then
  if [ "$untildone" ]; then
    out=$(UNTILDONE_ANSWERED=${ANSWERED} "$@")
  else
    # The line of an older version does not name the event.
    in=$(command -p cat)
    case $in in
    *'"hook_event_name":"Stop"'*) untildone=Stop ;;
    *'"hook_event_name":"SubagentStop"'*) untildone=SubagentStop ;;
    esac
    out=$(printf '%s' "$in" | UNTILDONE_ANSWERED=${ANSWERED} "$@")
  fi
  untildone_status=$?
  case $untildone_status in
  ${ANSWERED}) pass_on 0 ;;
  2) pass_on 2 ;;
  esac
fi
if [ -f "$h/hold.sh" ]; then command . "$h/hold.sh"; fi
exit 1
`;
}

/** Prints what the hook has answered, and ends the shell. Returns when a Stop was not answered with JSON. */
const PASS_ON = `pass_on() {
  case $untildone:$out in
  Stop: | SubagentStop: | Stop:'{'*'}' | SubagentStop:'{'*'}') ;;
  Stop:* | SubagentStop:*) return ;;
  esac
  if [ "$out" ]; then
    printf '%s\n' "$out" 2>/dev/null || case $out in
    *'"decision":"block"'* | *'"permissionDecision":"deny"'*)
      # Claude Code takes the reason from stderr, too.
      printf '%s\n' "untildone: stdout could not be written. The answer: $out" >&2
      exit 2
      ;;
    esac
  fi
  cut=
  case $untildone in
  Stop) cut=${'x'.repeat(LET_GO_AFTER)} ;;
  UserPromptSubmit) [ -f "$h/active/$s.cut" ] && read -r cut <"$h/active/$s.cut" ;;
  esac
  # A Stop that was answered ends the count of those that were not; so does a prompt to a session that was let go.
  case $cut in
  ${'x'.repeat(LET_GO_AFTER)}*) [ ! -e "$h/active/$s.cut" ] || command -p rm -rf "$h/active/$s.cut" || rm -rf "$h/active/$s.cut" ;;
  esac
  exit "$1"
}`;

function noNode(nodePath: string): string {
  return insideJson(
    `node was not found, neither ${nodePath} nor on PATH; install Node.js 20 or newer, then run: untildone install`,
  );
}

function noEntry(hookEntry: string): string {
  return insideJson(`${hookEntry} is gone; install untildone again, then run: untildone install`);
}
