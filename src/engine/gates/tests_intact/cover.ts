/** Finds where checks went that are gone from their tests: a table, a helper, another test, one check for many. */

import { isEffective, likeness, type MatchedFile, wordsIn } from './match-tests.ts';
import type { Check } from './reading/check.ts';
import type { TestCase } from './reading/model.ts';
import { weakening } from './weaker-check.ts';

/** How much of the words of two subjects have to be the same. */
const ALIKE = 0.5;

export class Cover {
  /** New checks of all files that no lost check was found in yet. */
  private readonly pool: Check[];
  private readonly byKey = new Map<string, Check[]>();
  /** Checks of tests that run over values which are not written out. */
  private readonly open: Check[];
  private readonly bodies: ReadonlySet<string>;
  /** What each test of now checks. */
  private readonly kept: readonly ReadonlySet<string>[];

  constructor(files: readonly MatchedFile[]) {
    const fresh = files.flatMap(({ matched, added, pair }) => [
      ...matched.flatMap(({ before, after }) => freshOf(after.checks, before.checks)),
      ...added.flatMap(({ checks }) => checks),
      ...freshOf(pair.after?.facts.shared ?? [], pair.before?.facts.shared ?? []),
    ]);
    this.pool = fresh.filter(isEffective);
    for (const check of this.pool) this.byKey.set(check.key, [...(this.byKey.get(check.key) ?? []), check]);
    const tests = files.flatMap(({ pair }) => pair.after?.facts.tests ?? []);
    // Only a test that became a table stands for others.
    const opened = files.flatMap(({ matched, added }) => [
      ...matched.filter(({ before }) => !before.openRows).map(({ after }) => after),
      ...added,
    ]);
    this.open = opened.filter(({ openRows }) => openRows).flatMap(({ checks }) => checks.filter(isEffective));
    this.kept = tests.map(({ checks }) => new Set(checks.filter(isEffective).map(({ key }) => key)));
    this.bodies = new Set(tests.map(({ body }) => body));
  }

  hasBody({ body }: TestCase): boolean {
    return body !== '' && this.bodies.has(body);
  }

  /** Whether another test checks all that this one did: it stood there twice. */
  isTwin({ checks }: TestCase): boolean {
    const keys = checks.filter(isEffective).map(({ key }) => key);
    return keys.length > 0 && this.kept.some((test) => keys.every((key) => test.has(key)));
  }

  /** Takes checks out of the pool that say the same in the same words, and returns those that are not there. */
  notTaken(lost: readonly Check[]): Check[] {
    return lost.filter((check) => {
      const same = this.byKey.get(check.key)?.pop();
      if (same) this.take(same);
      return !same;
    });
  }

  private take(check: Check): void {
    const index = this.pool.indexOf(check);
    if (index !== -1) this.pool.splice(index, 1);
  }

  /** Whether a new check anywhere says as much as this one, in other words. */
  covers(check: Check, _file?: MatchedFile): boolean {
    if (this.open.some((one) => one.relation === check.relation && sameFunction(one, check))) return true;
    const candidates = this.pool.filter((one) => one.rank >= check.rank && one.negated === check.negated);
    const fitting = candidates.filter((one) => saysAll(one, check));
    const found = fitting.find(({ subject }) => subject === check.subject) ?? fitting[0];
    if (!found) return isInParts(check, candidates);
    // One check about a list stands for many.
    const isOne = found.relation !== 'holds' && found.literals.length <= Math.max(1, check.literals.length);
    if (isOne) this.take(found);
    return true;
  }

  /** Whether a check that is still there says this, too. */
  isImplied(check: Check, kept: readonly Check[]): boolean {
    return kept.some((one) => {
      if (one.key === check.key) return true;
      if (one.subject === check.subject && one.rank > check.rank && one.rank >= 4.5) return true;
      const isPart =
        check.subject !== '' && one.subject !== check.subject && one.subject.includes(check.subject);
      if (check.rank <= 3 && isPart && one.rank >= 4) return true;
      // The length of a list that is compared as a whole.
      return check.subject === `${one.subject}.length` && one.relation === 'equal' && !one.negated;
    });
  }

  /** Whether a failure that was caught by hand is now told by what is thrown. */
  isThrown(check: Check, fresh: readonly Check[]): boolean {
    const thrown = fresh.filter(({ relation, negated }) => relation === 'throws' && !negated);
    if (thrown.length === 0) return false;
    if (check.relation === 'fails') return true;
    const said = thrown.map(({ expected }) => expected.replaceAll('\\', '')).join(' ');
    return (
      check.literals.length > 0 &&
      check.literals.every((text) => said.includes(text.replace(/^"|"$/g, '').replaceAll('\\', '')))
    );
  }

  /** Whether new checks of the same test say this part by part, or as a part of something larger. */
  isInParts(check: Check, fresh: readonly Check[], isOpened: boolean): boolean {
    if (isOpened && fresh.some((one) => one.relation === check.relation && sameFunction(one, check)))
      return true;
    return (
      isInParts(
        check,
        fresh.filter((one) => one.rank >= check.rank),
      ) || fresh.some((one) => isLarger(one, check))
    );
  }

  /** Pairs checks that are gone with those that stand in their place. */
  replace(
    lost: readonly Check[],
    fresh: readonly Check[],
  ): { replaced: { check: Check; by: Check }[]; gone: Check[] } {
    const left = [...fresh];
    const replaced: { check: Check; by: Check }[] = [];
    let open = [...lost];
    for (const least of [4, 3, 2, 1, 0]) {
      open = open.filter((check) => {
        const kin = left.filter((one) => kinship(check, one) >= least);
        const by = kin.find((one) => weakening(check, one)?.how !== 'weaker') ?? kin[0];
        if (!by) return true;
        left.splice(left.indexOf(by), 1);
        this.take(by);
        replaced.push({ check, by });
        return false;
      });
    }
    return { replaced, gone: open };
  }
}

function freshOf(after: readonly Check[], before: readonly Check[]): Check[] {
  const left = before.filter(isEffective).map(({ key }) => key);
  return after.filter(({ key }) => {
    const index = left.indexOf(key);
    if (index !== -1) left.splice(index, 1);
    return index === -1;
  });
}

/** How much two checks have to do with each other. */
function kinship(before: Check, after: Check): number {
  const sameSubject = before.subject !== '' && before.subject === after.subject;
  if (sameSubject && before.relation === after.relation) return 4;
  if (sameSubject) return 3;
  const sameExpected = before.expected !== '' && before.expected === after.expected;
  if (sameExpected && before.relation === after.relation) return 2;
  const isPart =
    before.subject !== '' &&
    (after.subject.includes(before.subject) ||
      (after.subject !== '' && before.subject.includes(after.subject)));
  if (isPart || likeness(wordsIn(before.subject), wordsIn(after.subject)) >= ALIKE) return 1;
  // Something else altogether replaces a check only when it says as much.
  return after.rank >= before.rank ? 0 : -1;
}

function functionOf({ subject }: Check): string | undefined {
  return /(?<![\w$.:])([A-Za-z_$][\w$.:]*)\(/.exec(subject)?.[1]?.split(/[.:]/).at(-1);
}

function sameFunction(left: Check, right: Check): boolean {
  const name = functionOf(left);
  return name !== undefined && name === functionOf(right);
}

/** Whether one check says all that another does: the same values of a subject in other words. */
function saysAll(one: Check, check: Check): boolean {
  if (one.relation === 'holds') return isAbout(one, check);
  const values = [...check.inputs, ...check.literals];
  const has = [...one.inputs, ...one.literals];
  if (values.length === 0) return likeness(wordsIn(check.key), wordsIn(one.key)) >= ALIKE;
  if (!values.every((value) => has.includes(value))) return false;
  return (
    sameFunction(one, check) ||
    likeness(wordsIn(check.subject), wordsIn(one.subject)) >= ALIKE ||
    isLarger(one, check)
  );
}

/** A helper that is not at hand gets what is checked as an argument. */
function isAbout(one: Check, check: Check): boolean {
  const values = [...check.inputs, ...check.literals];
  const has = [...one.inputs, ...one.literals];
  if (values.length > 0 && values.every((value) => has.includes(value))) return true;
  const root = /^[A-Za-z_$][\w$]*/.exec(check.subject)?.[0];
  return root !== undefined && one.expected !== '' && wordsIn(one.expected).has(root);
}

/** One check of a list or record that holds the subject and the value of another. */
function isLarger(one: Check, check: Check): boolean {
  if (one.rank < check.rank || one.negated !== check.negated) return false;
  if (one.relation === 'holds') return isAbout(one, check);
  const values = [...check.literals];
  if (values.length === 0 || one.literals.length <= values.length) return false;
  const words = wordsIn(one.subject);
  const own = [...wordsIn(check.subject)];
  const isWithin = own.every((word) => words.has(word)) || check.subject.startsWith(one.subject);
  return isWithin && values.every((value) => one.literals.includes(value));
}

/** Several checks of the parts of a value in place of one of all of it. */
function isInParts(check: Check, fresh: readonly Check[]): boolean {
  if (check.literals.length === 0 || check.negated) return false;
  const parts = fresh.filter(
    (one) =>
      !one.negated &&
      one.subject !== check.subject &&
      one.subject.includes(check.subject) &&
      check.subject !== '',
  );
  const said = parts.flatMap(({ literals }) => literals);
  return parts.length > 0 && check.literals.every((value) => said.includes(value));
}
