import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { resolve } from 'node:path';
import { treeOf, VERIFICATION_TYPE, type VerificationPredicate } from '../../engine/core/proof/statement.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { readSmall } from '../../engine/files/whole-file.ts';
import {
  type Envelope,
  envelopeProblems,
  isEnvelope,
  keyId,
  shortName,
  statementIn,
} from '../../engine/home/envelope.ts';
import { ownPublicKey, type SignedReceipt, spellingProblems } from '../../engine/home/receipts.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { ghIn } from '../../engine/run/git/pull-request.ts';

/** Statements of others about the same tree: who judged it again, and whether that is really so. */

export function readPublicKey(file: string): KeyObject {
  try {
    return createPublicKey(textOf(file));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} is no public key in PEM form; untildone receipt key prints one`);
  }
}

/** The public key that a receipt brings along. */
export function publicKeyIn(pem: string, where: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch {
    throw new UsageError(`the public key in ${where} cannot be read`);
  }
}

export function readPrivateKey(file: string): KeyObject {
  try {
    const key = createPrivateKey(textOf(file));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (error) {
    if (error instanceof UsageError) throw error;
  }
  throw new UsageError(
    `${file} is no private Ed25519 key in PEM form; make one with: openssl genpkey -algorithm ed25519`,
  );
}

function textOf(file: string): string {
  const text = readSmall(file);
  if (text === undefined) throw new UsageError(`there is no file ${file}`);
  return text;
}

/** An envelope that is nothing else: a `receipt.json` is one with more keys. */
export function bareEnvelope(text: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isEnvelope(value) && !('receipt' in value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Says who countersigned a receipt. Throws when this file does not countersign it, and says why. */
export async function countersigner(
  { receipt, publicKey }: SignedReceipt,
  file: string,
  { key, repo, workflow }: { key?: string; repo?: string; workflow?: string },
  world: ProjectPorts,
): Promise<string> {
  const text = textOf(file);
  const envelope = bareEnvelope(text);
  const statement = envelope && statementIn(envelope);
  if (!envelope || statement?.predicateType !== VERIFICATION_TYPE)
    throw new UsageError(`${file} is no statement of untildone verify --attest`);
  const who = await signerOf({ file, text, envelope }, { key, repo, workflow, publicKey }, world);
  const tree = treeOf(statement);
  if (tree === undefined || tree !== receipt.work.tree)
    throw new UsageError(
      `${file} is about another tree (${tree ?? 'none'}) than the receipt (${receipt.work.tree ?? 'none'}): it countersigns nothing`,
    );
  const { result, summary } = statement.predicate as Partial<VerificationPredicate>;
  if (result !== 'verified')
    throw new UsageError(
      `${file} does not say that the work is verified, but: ${oneLine(String(summary ?? result), 300)}`,
    );
  return who;
}

async function signerOf(
  { file, text, envelope }: { file: string; text: string; envelope: Envelope },
  { key, repo, workflow, publicKey }: { key?: string; repo?: string; workflow?: string; publicKey: string },
  world: ProjectPorts,
): Promise<string> {
  if ((key === undefined) === (repo === undefined))
    throw new UsageError(
      'say whose signature counts: --key with the file of a public key, or --repo OWNER/NAME for a workflow on GitHub',
    );
  if (repo !== undefined) return checkedByGitHub(file, repo, workflow, world);
  const given = readPublicKey(key ?? '');
  const own = ownPublicKey(world.home);
  const isSame =
    keyId(given) === keyId(publicKeyIn(publicKey, 'the receipt')) || (own && keyId(given) === keyId(own));
  if (isSame)
    throw new UsageError(
      'this is the very key that signed the receipt, or that of this machine: whoever can make the one can make the other. Judge in CI, with a key or an identity that is not on this machine',
    );
  const problems = [...envelopeProblems(envelope, given), ...spellingProblems(text, envelope)];
  if (problems.length > 0) throw new UsageError(`${file} was changed: ${problems.join('; ')}`);
  return `the key ${shortName(keyId(given))}`;
}

const REPOSITORY = /^[\w.-]{1,100}\/[\w.-]{1,100}$/;

/** Asks gh whether a workflow of this repository attested the file. It checks the identity and the transparency log. */
async function checkedByGitHub(
  file: string,
  repo: string,
  workflow: string | undefined,
  { project }: ProjectPorts,
): Promise<string> {
  if (!REPOSITORY.test(repo)) throw new UsageError('--repo is OWNER/NAME, as GitHub spells it');
  const args = ['attestation', 'verify', resolve(file), '--repo', repo];
  args.push('--predicate-type', VERIFICATION_TYPE);
  if (workflow !== undefined) args.push('--signer-workflow', `${repo}/${workflow}`);
  const { ok, problem } = await ghIn(project, {}, undefined).call(args);
  const which = workflow === undefined ? 'a workflow' : `the workflow ${workflow}`;
  if (ok) return `${which} of ${repo} on GitHub, as gh attestation verify says`;
  throw new UsageError(`gh does not confirm that ${which} of ${repo} signed ${file}: ${problem}`);
}
