import { ResultsBuilder, type TestOutcome, type TestResults } from '../../core/proof/test-results.ts';

interface Point {
  name: string[];
  outcome: TestOutcome;
}

/** The points of one indentation that no point of a smaller one has closed yet. */
interface Level {
  indent: number;
  points: Point[];
  /** Points that were read at this very indentation. */
  own: number;
  planned?: number;
}

const POINT = /^( *)(not ok|ok)\b(?: +\d+)?(?: +-)?(?: +(.*?))?(?: +# *(skip|todo)\b.*)?$/i;
const PLAN = /^( *)1\.\.(\d+)/;

/** Reads the Test Anything Protocol. Subtests come before the point that they belong to; that one is their group. */
export function readTap(text: string): TestResults {
  const levels: Level[] = [{ indent: 0, points: [], own: 0 }];
  let [whole, inYaml] = [true, false];
  for (const line of text.split(/\r?\n/)) {
    if (/^ *(?:---|\.\.\.)$/.test(line)) inYaml = line.trim() === '---';
    else if (!inYaml) readLine(line);
  }
  // Subtests without their group: the report was cut off.
  while (levels.length > 1) {
    levels[0]?.points.push(...closeDeepest());
    whole = false;
  }
  const builder = new ResultsBuilder();
  for (const { name, outcome } of closeDeepest()) builder.add(name, outcome);
  return builder.results(whole && builder.size > 0);

  function readLine(line: string): void {
    if (line.startsWith('Bail out!')) whole = false;
    const plan = PLAN.exec(line);
    if (plan) levelAt(plan[1]?.length ?? 0).planned = Number(plan[2]);
    const point = POINT.exec(line);
    if (point) readPoint(point[1]?.length ?? 0, point[2] === 'ok', point[3] ?? '', point[4] !== undefined);
  }

  function readPoint(indent: number, ok: boolean, name: string, excused: boolean): void {
    const children: Point[] = [];
    while (deepest().indent > indent) children.unshift(...closeDeepest());
    const level = levelAt(indent);
    level.own++;
    if (children.length > 0)
      level.points.push(...children.map((child) => ({ ...child, name: [name, ...child.name] })));
    else level.points.push({ name: [name], outcome: excused ? 'skipped' : ok ? 'passed' : 'failed' });
  }

  function levelAt(indent: number): Level {
    const there = levels.find((level) => level.indent === indent);
    if (there) return there;
    levels.push({ indent, points: [], own: 0 });
    levels.sort((a, b) => a.indent - b.indent);
    return levels.find((level) => level.indent === indent) as Level;
  }

  function deepest(): Level {
    return levels.at(-1) as Level;
  }

  function closeDeepest(): Point[] {
    const level = levels.pop();
    if (level?.planned === undefined || level.planned !== level.own) whole = false;
    return level?.points ?? [];
  }
}
