/** The text of `hold.sh`, which answers an event that the hook did not answer. */
import { singleQuoted } from '../core/shell/words.ts';

/** A session is let go when its hook did not answer so often in a row: the next Stop would go the same way. */
export const LET_GO_AFTER = 3;

/** The status by which a hook says that what came on stdin is no event. */
export const UNREADABLE = 65;

/**
 * Shell text: whether anything may hold this session. Signs are a marker of the session, a marker of a project whose contract
 * guards every session, and the state of a foreign format. An older Claude Code (2.1.110) does not tell its hooks the session
 * in the environment: then the marker of any session is a sign, and the hook reads whose event it is.
 */
export const IS_WANTED = `is_wanted() {
  if [ "$s" ]; then
    [ -e "$h/active/$s" ] || [ -h "$h/active/$s" ] || [ -e "$HOME/.ralph/state/$s" ] && return 0
  else
    [ "$(command -p ls "$h/active" 2>/dev/null)$(command -p ls "$HOME/.ralph/state" 2>/dev/null)" ] && return 0
  fi
  [ -f "$h/standing$p/.on" ] || [ -e "$c/ralph-loop.local.md" ] || [ -d "$c/runtime/locks" ] ||
    [ "$RALPH_LOOP_DIR" ] || [ -e "$c/data/ralph-loops/current" ]
}`;

/**
 * Shell text: the project as a path below a folder, as `belowFolder` makes it, and its folder for Claude Code. On Windows
 * these scripts are read by the bash of Git, and Claude Code names the project like `C:\\Users\\me`.
 */
export const PLACE = `p=$CLAUDE_PROJECT_DIR c=$CLAUDE_PROJECT_DIR/.claude
case $p in
[A-Za-z]:\\\\* | [A-Za-z]:/*)
  while :; do case $p in *\\\\*) p=$\{p%%\\\\*}/$\{p#*\\\\} ;; *) break ;; esac; done
  p=/$\{p%%:*}$\{p#?:}
  ;;
esac`;

const CAUSES = {
  ended: 'something ended the Stop hook before it answered (status $untildone_status)',
  failed: 'the hook failed before it answered (status $untildone_status)',
  unread: 'what Claude Code wrote to its hook could not be read as an event',
  broken: 'the script hook.sh in its home is missing or broken; to write it again, run: untildone install',
};

/** For the agent. */
const HELD =
  'Most often a test or a script of the project does this: it kills by a ' +
  'broad name (pkill, killall), kills its parent, or takes all memory. Find what it is and change it: end only processes ' +
  'that you started yourself, by their process id. Then stop again, and the gates are run again. If it is nothing of the ' +
  'kind, tell the user that untildone cannot run here. They can end the loop in a terminal: untildone cancel';

/** For the agent, when the hook ran but had no event. */
const UNREAD =
  'Stop again, and the gates are run. If this comes again, tell the user that untildone cannot run here.';

/** For you. */
const LET_GO =
  'This happened three times in a row, or where no count can be kept. So this session was let go; nothing is proven, and ' +
  'its loop is still active. See what was judged with: untildone log. Find what kills processes, or takes all memory; then ' +
  'prompt this session to go on.';

const NOT_MEASURED = 'This session was let go; nothing was judged.';

const NOT_GUARDED = 'Until this is mended, this session is NOT being held or guarded as its contract says.';

/**
 * The line reads this script after `hook.sh`, with the same names. What decides is the event and the marker of the session:
 * a marker with content says that gates measure something. At a Stop of such a session it holds, a few times in a row.
 * Everywhere else it tells you, once a session. A shell that cannot count does not hold, because that could go on for ever.
 */
export function holdScript(): string {
  return `# Written by untildone. Do not edit: install and start write it again.
# Answers an event that hook.sh did not answer: the hook was killed, did not start, or is gone.
[ "$\{UNTILDONE_RUN+set}" ] && exit 0
s=$CLAUDE_CODE_SESSION_ID
case $s in '' | *[!A-Za-z0-9_-]*) exit 0 ;; esac
${PLACE}
${IS_WANTED}
[ "$untildone_ran" ] || is_wanted || exit 0
marker=$h/active/$s measured= cause=
if [ -s "$h/standing$p/.on" ]; then
  measured=1
elif [ -f "$marker" ] && [ ! -h "$marker" ]; then
  [ -s "$marker" ] && measured=1
elif [ -e "$marker" ] || [ -h "$marker" ]; then
  # We write no pipe, folder or link here.
  measured=1
fi
why=$untildone_why
if [ ! "$why" ]; then
  case $untildone_ran:$untildone_status in
  1:${UNREADABLE}) why="${CAUSES.unread}" cause=${singleQuoted(UNREAD)} ;;
  1:12[89] | 1:1[3-9][0-9] | 1:2[0-9][0-9]) why="${CAUSES.ended}" ;;
  1:[0-9]*) why="${CAUSES.failed}" ;;
  *)
    why=${singleQuoted(CAUSES.broken)}
    printf '%s\\n' "untildone: $why" >&2
    ;;
  esac
fi
tell() {
  printf '%s\\n' "{\\"systemMessage\\":\\"untildone: $why. $1\\"}"
  exit 0
}
case $untildone in
Stop | SubagentStop) [ "$measured" ] || tell ${singleQuoted(NOT_MEASURED)} ;;
*)
  if [ -e "$marker.unheld" ] || [ -h "$marker.unheld" ]; then exit 0; fi
  (umask 077; : >"$marker.unheld") 2>/dev/null
  tell ${singleQuoted(NOT_GUARDED)}
  ;;
esac
cut=
if [ -h "$marker.cut" ] || { [ -e "$marker.cut" ] && [ ! -f "$marker.cut" ]; }; then
  command -p rm -rf "$marker.cut" 2>/dev/null || rm -rf "$marker.cut" 2>/dev/null
fi
if [ -f "$marker.cut" ]; then read -r cut <"$marker.cut"; fi
case $cut in
${'x'.repeat(LET_GO_AFTER - 1)}*) cut=${'x'.repeat(LET_GO_AFTER)} held= ;;
*) cut=x$cut held=1 ;;
esac
if [ ! -e "$marker.cut" ] || [ -f "$marker.cut" ]; then
  (umask 077; printf '%s\\n' "$cut" >"$marker.cut") 2>/dev/null || held=
else
  held=
fi
[ "$held" ] || tell ${singleQuoted(LET_GO)}
[ "$cause" ] || cause=${singleQuoted(HELD)}
reason="untildone: $why. Nothing was judged, so you are not done yet. $cause"
printf '%s\\n' "{\\"decision\\":\\"block\\",\\"reason\\":\\"$reason\\"}" 2>/dev/null && exit 0
printf '%s\\n' "$reason" >&2
exit 2
`;
}

/** The text as it stands between the quotes of a JSON string. */
export function insideJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
