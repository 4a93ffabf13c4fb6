import { rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { readContract } from '../../engine/contract/read.ts';
import { type Receipt, receiptVerdict } from '../../engine/core/loop/receipt.ts';
import { evidenceOf, ladderOf } from '../../engine/core/proof/ladder.ts';
import {
  RECEIPT_TYPE,
  type VerificationPredicate,
  verificationStatement,
} from '../../engine/core/proof/statement.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { sha256 } from '../../engine/files/digest.ts';
import { readSmall, writeWhole } from '../../engine/files/whole-file.ts';
import { traitsOf } from '../../engine/gates/traits.ts';
import { envelopeProblems, keyId, statementIn } from '../../engine/home/envelope.ts';
import {
  ownPublicKey,
  parseReceipt,
  receiptProblems,
  signStatement,
  spellingProblems,
} from '../../engine/home/receipts.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import type { Verification } from '../../engine/judging/verify.ts';
import type { Workspace } from '../../engine/ports/ports.ts';
import { bareEnvelope, publicKeyIn, readPrivateKey, readPublicKey } from './countersign.ts';

/** `untildone verify --attest`: a second statement about the same tree, by whoever judges again. */

export interface AttestOptions {
  /** Where the signed statement goes. */
  attest?: string;
  /** Where the bare statement goes, for others to sign. */
  statement?: string;
  /** Where its predicate goes, for tools that make the statement themselves. */
  predicate?: string;
  /** The receipt of the loop that did the work. */
  receipt?: string;
  /** The public key that has to have signed that receipt. */
  key?: string;
  /** The private key that signs; that of the home when absent. */
  signKey?: string;
  allow?: string[];
  gates?: string[];
}

interface Attestation {
  /** The commit that the work began with, where the receipt names one that is here. */
  base?: string;
  write(found: Verification & { result: string; words: string }): Promise<void>;
}

type ContractFile = NonNullable<ReturnType<typeof readContract>>;

/** Refuses before anything is judged what could not be attested anyway. Undefined when nothing is to be written. */
export async function prepareAttestation(
  options: AttestOptions,
  file: ContractFile,
  workspace: Workspace,
  world: ProjectPorts,
): Promise<Attestation | undefined> {
  const { attest, statement, predicate } = options;
  const written = [attest, statement, predicate].filter((path) => path !== undefined);
  const alone = (['receipt', 'key', 'signKey'] as const).find((name) => options[name] !== undefined);
  if (written.length === 0) {
    if (alone === undefined) return undefined;
    const flag = alone === 'signKey' ? 'sign-key' : alone;
    throw new UsageError(`--${flag} goes with --attest FILE, --statement FILE or --predicate FILE`);
  }
  if (options.gates !== undefined)
    throw new UsageError('only the whole contract can be attested: leave the names of gates out');
  written.forEach(refuseUnwritable);
  const signKey = options.signKey === undefined ? undefined : readPrivateKey(options.signKey);
  const known =
    options.receipt === undefined ? undefined : readGivenReceipt(options.receipt, options.key, world);
  const start = await treeNow(workspace);
  if (known) await refuseOther(known.receipt, start, file, workspace);
  // What an earlier call wrote must not pass for the result of this one.
  for (const path of written) rmSync(path, { force: true });
  const baseCommit = known?.receipt.work.baseCommit ?? undefined;
  return {
    base: baseCommit !== undefined && (await isHere(baseCommit, workspace)) ? baseCommit : undefined,
    async write(found) {
      const tree = found.tree;
      if (tree === undefined || tree !== start)
        throw new UsageError('the files of the project changed while they were judged: nothing was attested');
      const said = verificationStatement(
        await predicateOf(found, tree, known, options, file, workspace),
        tree,
      );
      if (predicate !== undefined) writeWhole(predicate, json(said.predicate));
      if (statement !== undefined) writeWhole(statement, json(said));
      if (attest !== undefined) writeWhole(attest, json(signStatement(said, world.home, signKey)));
    },
  };
}

/** Before anything is judged, which may take long. */
export function refuseUnwritable(path: string): void {
  const folder = dirname(path);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${path} cannot be written: there is no folder ${folder}`);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${path} cannot be written: it is a folder`);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function treeNow(workspace: Workspace): Promise<string> {
  try {
    return await workspace.tree();
  } catch (error) {
    const why = (error as Error).message;
    throw new UsageError(`only the content of a git repository can be attested, and this has none: ${why}`);
  }
}

async function isHere(commit: string, workspace: Workspace): Promise<boolean> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{commit}`];
  return (await workspace.git(args)).exitCode === 0;
}

interface GivenReceipt {
  receipt: Receipt;
  sha256: string;
  keyid: string;
}

/** Reads the receipt of the work, in either form. Throws when it was changed, or another key signed it. */
function readGivenReceipt(path: string, keyFile: string | undefined, world: ProjectPorts): GivenReceipt {
  const text = readSmall(path);
  if (text === undefined) throw new UsageError(`there is no file ${path}`);
  const given = keyFile === undefined ? undefined : readPublicKey(keyFile);
  const refuse = (problems: readonly string[]) => {
    if (problems.length > 0) throw new UsageError(`the receipt ${path} was changed: ${problems.join('; ')}`);
  };
  const bare = bareEnvelope(text);
  if (bare) {
    const key = given ?? ownPublicKey(world.home);
    if (!key) throw new UsageError(`name the public key that signed ${path}, with --key`);
    refuse([...envelopeProblems(bare, key), ...spellingProblems(text, bare)]);
    const statement = statementIn(bare);
    if (statement?.predicateType !== RECEIPT_TYPE)
      throw new UsageError(`${path} is not a receipt of untildone`);
    return { receipt: statement.predicate as Receipt, sha256: sha256(text), keyid: keyId(key) };
  }
  const signed = parseReceipt(text, path);
  refuse([...receiptProblems(signed), ...spellingProblems(text, signed)]);
  const keyid = keyId(publicKeyIn(signed.publicKey, path));
  if (given && keyId(given) !== keyid) refuse(['it is signed with another key than the one given']);
  return { receipt: signed.receipt, sha256: sha256(text), keyid };
}

const LISTED = 5;

/** Throws when the work here is not the work of the receipt, or would be judged by another contract. */
async function refuseOther(
  { work, contract }: Receipt,
  tree: string,
  file: ContractFile,
  workspace: Workspace,
): Promise<void> {
  if (work.tree !== tree) {
    const head = await workspace.git(['rev-parse', '--verify', '--quiet', 'HEAD:./']);
    const isCommitted = head.exitCode === 0 && head.stdout.trim() === work.tree;
    const extra = isCommitted ? await changedSince(tree, workspace) : '';
    throw new UsageError(
      `the files here are the tree ${tree}, but the receipt is about ${work.tree ?? 'no tree'}${extra}: nothing was judged`,
    );
  }
  if (contract.fileAtStart !== null && contract.fileAtStart !== file.sha256)
    throw new UsageError(
      'the receipt rests on another contract than the one here: the loop was judged by untildone.yaml as it was at its start. Name that file with --contract: nothing was judged',
    );
}

/** Names files that are here and not in the commit, such as a receipt that was put into the project. */
async function changedSince(tree: string, workspace: Workspace): Promise<string> {
  const { exitCode, stdout } = await workspace.git(['rev-parse', '--verify', '--quiet', 'HEAD:./']);
  const changes = exitCode === 0 ? await workspace.changes(stdout.trim(), tree).catch(() => []) : [];
  const paths = changes.slice(0, LISTED).map(({ path }) => path);
  if (paths.length === 0) return '';
  const more = changes.length > LISTED ? ` and ${changes.length - LISTED} more` : '';
  return `, which is the last commit without these changes: ${paths.join(', ')}${more}`;
}

async function predicateOf(
  { verdicts, notJudged, result, words }: Verification & { result: string; words: string },
  tree: string,
  known: GivenReceipt | undefined,
  { allow: allowed = [] }: AttestOptions,
  { contract, sha256: contractSha256 }: ContractFile,
  workspace: Workspace,
): Promise<VerificationPredicate> {
  const head = await workspace.head();
  const { baseCommit, baseTree } = known?.receipt.work ?? { baseCommit: null, baseTree: null };
  return {
    v: 1,
    result,
    summary: words,
    judgedAt: new Date().toISOString(),
    contract: { sha256: contractSha256 },
    work: { commit: head?.commit ?? null, tree, baseCommit, baseTree },
    verdicts: verdicts.map((verdict) => receiptVerdict(verdict, contract, traitsOf)),
    notJudged: notJudged.map(({ gate, why, reason }) => ({ gate, why, reason })),
    allowed,
    ladder: ladderOf(verdicts.map(evidenceOf), { allowed }),
    receipt: known
      ? {
          loop: known.receipt.loop,
          status: known.receipt.status,
          tree: known.receipt.work.tree,
          sha256: known.sha256,
          keyid: known.keyid,
        }
      : null,
  };
}
