/**
 * The lines that versions up to 0.1.0 wrote into settings. They asked themselves whether anything is held, and named no
 * event: one line stood at all events but SessionStart. Put together here as those versions did it, so that the set is finite.
 */

/** At which hooks a line stood. */
export type OlderLineAt = 'SessionStart' | 'OtherTools' | 'other events';

const HOME = 'h=$' + '{UNTILDONE_HOME:-$HOME/.untildone}';
const NAMES = `${HOME};s=$CLAUDE_CODE_SESSION_ID;p=$CLAUDE_PROJECT_DIR;c=$p/.claude`;
const HAND_OVER = 'command . "$h/hook.sh"||exit 1';
const HAS_HOME = '[ -d "$h" ]||exit 0';

const LOCK_FILE = '[ -e "$c/runtime/locks/.lock_active" ]';
const LOCK_FOLDER = '[ -d "$c/runtime/locks" ]';
const LEFT = '[ -f "$h/standing$p/.loops" ]';
const TRUSTED = '[ -f "$h/standing$p/.trusted" ]';

/** Goes on where one of these is there. */
function wanted(lock: string, ...more: string[]): string {
  const tests = [
    ...['[ -f "$h/active/$s" ]', '[ -f "$h/standing$p/.on" ]', '[ -e "$c/ralph-loop.local.md" ]', lock],
    ...['[ "$RALPH_LOOP_DIR" ]', '[ -e "$c/data/ralph-loops/current" ]', '[ -e "$HOME/.ralph/state/$s" ]'],
    ...more,
  ];
  return `${tests.join('||')}||exit 0`;
}

function record(project: string): string {
  return (
    "case $s in ''|*[!A-Za-z0-9_-]*);;*)" +
    `[ -d "$h/sessions" ]&&(umask 077;printf '%s\\n%s\\n' "${project}" "$CLAUDE_PID"` +
    '>"$h/sessions/$s.at")2>/dev/null;;esac'
  );
}

/** The first version knew no other formats. */
const FIRST_WANTED =
  '[ -f "$h/active/$CLAUDE_CODE_SESSION_ID" ]||[ -f "$h/standing$CLAUDE_PROJECT_DIR/.on" ]||exit 0';
const FIRST_RECORD = `s=$CLAUDE_CODE_SESSION_ID;${record('$CLAUDE_PROJECT_DIR')}`;
const RECORD = record('$p');

const LINES: Record<OlderLineAt, string[][]> = {
  'other events': [
    [HOME, FIRST_WANTED],
    [NAMES, wanted(LOCK_FILE)],
    [NAMES, HAS_HOME, wanted(LOCK_FILE)],
    [NAMES, HAS_HOME, wanted(LOCK_FOLDER)],
  ],
  SessionStart: [
    [HOME, FIRST_RECORD, FIRST_WANTED],
    [NAMES, RECORD, wanted(LOCK_FILE)],
    [NAMES, RECORD, HAS_HOME, wanted(LOCK_FILE)],
    [NAMES, RECORD, HAS_HOME, wanted(LOCK_FILE, LEFT)],
    [NAMES, RECORD, HAS_HOME, wanted(LOCK_FILE, LEFT, TRUSTED)],
    [NAMES, RECORD, HAS_HOME, wanted(LOCK_FOLDER, LEFT, TRUSTED)],
  ],
  OtherTools: [[NAMES, '[ -f "$h/standing$p/.tools" ]||exit 0']],
};

/** Each line, with the hooks at which it stood. */
export function olderLines(): [line: string, at: OlderLineAt][] {
  return (Object.keys(LINES) as OlderLineAt[]).flatMap((at) =>
    LINES[at].map((parts): [string, OlderLineAt] => [[...parts, HAND_OVER].join(';'), at]),
  );
}
