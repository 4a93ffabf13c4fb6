import type { Receipt, ReceiptVerdict } from '../loop/receipt.ts';
import type { Ladder } from './ladder.ts';

/** Statements about work in the form of in-toto, version 1, which other tools can read. docs/reference/receipt.md */

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';

/** The predicate is a receipt: what an ending rests on. */
export const RECEIPT_TYPE = 'https://untildone.dev/receipt/v1';

/** The predicate is a verification: the same contract, judged again by `untildone verify --attest`. */
export const VERIFICATION_TYPE = 'https://untildone.dev/verification/v1';

export interface Subject {
  name: string;
  digest: Record<string, string>;
}

export interface Statement<Predicate = unknown> {
  _type: typeof STATEMENT_TYPE;
  subject: Subject[];
  predicateType: string;
  predicate: Predicate;
}

/** What `untildone verify --attest` found. */
export interface VerificationPredicate {
  v: 1;
  /** `verified`, `claimed`, `failing`, `unproven`, `skipped` or `nothing_judged`. */
  result: string;
  summary: string;
  judgedAt: string;
  contract: { sha256: string };
  work: Receipt['work'];
  verdicts: ReceiptVerdict[];
  notJudged: { gate: string; why: string; reason: string }[];
  /** Exceptions that were allowed by name. */
  allowed: string[];
  ladder: Ladder;
  /** The receipt of the loop that did the work; null when none was given. */
  receipt: { loop: string; status: string; tree: string | null; sha256: string; keyid: string } | null;
}

export function receiptStatement(receipt: Receipt): Statement<Receipt> {
  const { work, journal } = receipt;
  // Without git there is no tree. Then the statement is about the journal that leads to the ending.
  const subject = treeSubject(work.tree) ?? { name: 'journal', digest: { sha256: journal.lastLineSha256 } };
  return { _type: STATEMENT_TYPE, subject: [subject], predicateType: RECEIPT_TYPE, predicate: receipt };
}

export function verificationStatement(
  predicate: VerificationPredicate,
  tree: string,
): Statement<VerificationPredicate> {
  const subject = [{ name: 'work', digest: { gitTree: tree } }];
  return { _type: STATEMENT_TYPE, subject, predicateType: VERIFICATION_TYPE, predicate };
}

function treeSubject(tree: string | null): Subject | undefined {
  return tree === null ? undefined : { name: 'work', digest: { gitTree: tree } };
}

/** The tree that a statement is about; undefined when it is about something else. */
export function treeOf({ subject }: Statement): string | undefined {
  return subject.find(({ digest }) => digest.gitTree !== undefined)?.digest.gitTree;
}

/** Whether a value has the shape of a statement. */
export function isStatement(value: unknown): value is Statement {
  if (typeof value !== 'object' || value === null) return false;
  const { _type, subject, predicateType, predicate } = value as Partial<Statement>;
  return (
    _type === STATEMENT_TYPE &&
    typeof predicateType === 'string' &&
    typeof predicate === 'object' &&
    predicate !== null &&
    Array.isArray(subject) &&
    subject.length > 0 &&
    subject.every((each) => typeof each?.digest === 'object' && each.digest !== null)
  );
}
