/** Places in files that lines of evidence name, in the ways of gates, test runners, compilers and linters. */

interface NamedPlace {
  path: string;
  line?: number;
  column?: number;
  /** What the line says besides the place. */
  text: string;
  /** The line has another sense, too: it names a place only if there is such a file. */
  isGuess: boolean;
}

/** Longer lines are cut: nobody writes a place further out. */
const LONGEST_LINE = 1000;

/** `src/a.ts:3:5: wrong`, `src/a.ts:3 wrong`, `src/a.ts:3-7 wrong` */
const FIRST = /^(?:\.\/)?([\w@.][^:\s]*):(\d{1,7})(?:-\d{1,7})?(?::(\d{1,7}))?(?:[:\s]+(.*))?$/;
/** tsc: `src/a.ts(3,5): error TS2322: wrong` */
const IN_BRACKETS = /^([^\s():]{1,300})\((\d{1,7}),(\d{1,7})\): (.*)$/;
/** Python: `File "a.py", line 3, in test` */
const PYTHON = /^File "([^"]{1,300})", line (\d{1,7})/;
/** `at run (/project/src/a.ts:3:5)`, `--> src/a.rs:3:5`, `panicked at src/a.rs:3:5:` */
const ANYWHERE =
  /(?:^|[\s('])(?:file:\/\/)?([^\s():"'<>|,]{1,300}\.\w{1,10}):(\d{1,7})(?::(\d{1,7}))?(?=$|[\s):,'])/;
/** pytest: `FAILED tests/test_a.py::test_b - assert 1 == 2` */
const NODE_ID = /^(?:FAILED|ERROR) ([^\s:]{1,300})(?:::| |$)/;
/** `test/a.test.ts was deleted [deleted:test/a.test.ts]` */
const FIRST_WORD = /^([^\s:]{1,300}) \S/;

/** The place that a line names; undefined when it names none. */
export function placeIn(evidence: string): NamedPlace | undefined {
  const line = evidence.slice(0, LONGEST_LINE).trim();
  const first = FIRST.exec(line);
  if (first) return { ...place(first), text: first[4] ?? '', isGuess: !isPath(first[1] ?? '') };
  const inBrackets = IN_BRACKETS.exec(line);
  if (inBrackets) return { ...place(inBrackets), text: inBrackets[4] ?? '', isGuess: false };
  const python = PYTHON.exec(line);
  if (python) return { ...place(python), text: '', isGuess: true };
  const anywhere = ANYWHERE.exec(line);
  if (anywhere) return { ...place(anywhere), text: isFrame(line) ? '' : line, isGuess: true };
  const whole = NODE_ID.exec(line) ?? FIRST_WORD.exec(line);
  return whole ? { path: whole[1] ?? '', text: line, isGuess: true } : undefined;
}

/** A time or an address looks like a place, too. */
function isPath(text: string): boolean {
  return /[a-z]/i.test(text) && /[./]/.test(text);
}

function place([, path = '', line, column]: RegExpExecArray): Pick<NamedPlace, 'path' | 'line' | 'column'> {
  return { path, line: Number(line), ...(column === undefined ? {} : { column: Number(column) }) };
}

/** Whether a line is a place and nothing else: what is wrong there stands above it. */
function isFrame(line: string): boolean {
  return /^(?:at|test at|-->|\u276f) /.test(line);
}

/**
 * The path of a file in the project, as the project names it. A command may name it by an absolute path, also by one in a
 * copy of the project. Undefined for what leads out of the project, and for a guess that is no file.
 */
export function pathInProject(
  { path, isGuess }: NamedPlace,
  project: string,
  isFile: (path: string) => boolean,
): string | undefined {
  const plain = path.replaceAll('\\', '/');
  const inside = plain.startsWith(`${project}/`) ? plain.slice(project.length + 1) : plain;
  const parts = inside.split('/').filter((part) => part !== '.' && part !== '');
  if (parts.length === 0 || parts.includes('..') || parts.includes('node_modules')) return undefined;
  if (!inside.startsWith('/')) {
    const own = parts.join('/');
    return !isGuess || isFile(own) ? own : undefined;
  }
  const ends = parts.map((_, at) => parts.slice(at).join('/'));
  return ends.find(isFile);
}
