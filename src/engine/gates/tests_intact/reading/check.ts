/** One thing that a test checks. */
import { type Expr, squeeze } from './code.ts';
import { rankOf, type Said } from './relations.ts';
import { literalsOf, type Scope, say } from './scope.ts';

/** always: as often as the test runs. sometimes: only on a condition. never: the code is not reached. */
export type Reach = 'always' | 'sometimes' | 'never';

export interface Check extends Said {
  /** As it is written. */
  text: string;
  line: number;
  /** The words of the whole check, names followed: the same for the same check. */
  key: string;
  subject: string;
  expected: string;
  /** The literals of the subject, and those of what is expected. */
  inputs: readonly string[];
  literals: readonly string[];
  rank: number;
  /** How far off a number may be. */
  tolerance?: number;
  /** How often anything is accepted in what is expected. */
  wildcards: number;
  matcher: string;
  reach: Reach;
  /** Its failure is caught and forgotten. */
  swallowed: boolean;
  /** Its promise is not awaited. */
  floating: boolean;
  /** It stands in a function that something else calls. */
  called: boolean;
  /** The helper that makes it. */
  via?: string;
}

/** A check as its library says it. */
export interface RawCheck extends Said {
  at: Expr['at'];
  matcher: string;
  subject?: Expr;
  expected: readonly Expr[];
  tolerance?: number;
  /** It can only pass. */
  vacuous?: boolean;
  /** It is a promise that has to be awaited. */
  isPromise?: boolean;
}

const WILDCARD =
  /\b(?:expect\.any(?:thing)?|mock\.ANY|(?<![\w.])ANY(?!\w)|mock\.Anything|gomock\.Any|Matchers?\.any\w*|anything|any[A-Z]\w*|sinon\.match\.any|Mockito\.any|instance_of|kind_of)\b(?:\(|\b)|(?<![\w.])any\s*\(/g;
const PARTIAL =
  /\b(?:objectContaining|stringContaining|arrayContaining|stringMatching|hash_including|a_hash_including|array_including|string_including)\b/g;

export function checkFrom(raw: RawCheck, scope: Scope): Check {
  const { negated, matcher, at, subject, expected, tolerance } = raw;
  // The length of something is compared like any other number.
  const isLength = raw.relation === 'length' && expected.length > 0;
  const relation = isLength ? 'equal' : raw.relation;
  const said = subject ? `${say(subject, scope)}${isLength ? '.length' : ''}` : '';
  const wanted = expected.map((one) => say(one, scope)).join(', ');
  const nothing = raw.vacuous || isTautology(raw, said, wanted);
  const wildcards =
    (wanted.match(WILDCARD)?.length ?? 0) +
    (relation === 'partial' ? 0 : (wanted.match(PARTIAL)?.length ?? 0));
  return {
    relation,
    negated,
    text: squeeze(at.text),
    line: at.line,
    key: `${negated ? 'not ' : ''}${LOOSE.test(matcher) ? 'loosely ' : ''}${relation} ${said} | ${wanted}${tolerance === undefined ? '' : ` ± ${tolerance}`}`,
    subject: said,
    expected: wanted,
    inputs: subject ? literalsOf(subject, scope) : [],
    literals: expected.flatMap((one) => [...literalsOf(one, scope)]),
    rank: nothing ? 0 : rankWith({ ...raw, relation }, wanted),
    tolerance,
    wildcards,
    matcher,
    reach: 'always',
    swallowed: false,
    floating: false,
    called: false,
  };
}

/** A bare wildcard says that something is there, whatever the matcher. */
function rankWith(raw: RawCheck, wanted: string): number {
  const rank = rankOf(raw);
  if (/^(?:expect\.anything\(\)|mock\.ANY|ANY|anything)$/.test(wanted)) return 2;
  if (/^expect\.any\([\w.]*\)$/.test(wanted)) return 3;
  if (raw.relation === 'throws' && !raw.negated) return raw.expected.length > 0 ? 5 : 4.5;
  return rank;
}

/** Matchers of libraries that also have a stricter one. */
const LOOSE = /^loose/;

const SIMPLE = /^(?:true|false|null|undefined|None|True|False|nil|-?\d[\w.]*|"[^"]*"|[A-Za-z_$][\w$.]*)$/;

function isTautology(
  { relation, negated, subject, expected }: RawCheck,
  said: string,
  wanted: string,
): boolean {
  if (negated) return relation === 'equal' && isLiteral(subject) && isLiteral(expected[0]) && said !== wanted;
  if (relation === 'equal' || relation === 'contains' || relation === 'near') {
    const raw = subject ? squeeze(subject.at.text) : '';
    const same = expected.length > 0 && raw === squeeze(expected[0]?.at.text ?? '');
    return (same && SIMPLE.test(raw)) || (isLiteral(subject) && said === wanted);
  }
  if (relation === 'truthy' || relation === 'true' || relation === 'present') return isTruthy(subject, said);
  return false;
}

function isLiteral(expr: Expr | undefined): boolean {
  return expr?.kind === 'literal';
}

/** Whether a value that is written out counts as true. */
export function isTruthy(subject: Expr | undefined, said: string): boolean {
  if (subject?.kind === 'literal')
    return subject.of === 'boolean'
      ? /^true$/i.test(said)
      : subject.of !== 'nothing' && !/^(?:0|"")$/.test(said);
  return subject?.kind === 'list' || subject?.kind === 'record';
}
