import { lstatSync } from 'node:fs';
import {
  ladderIn,
  type Receipt,
  type ReceiptVerdict,
  renderReceipt,
} from '../../../engine/core/loop/receipt.ts';
import { isDone } from '../../../engine/core/loop/state.ts';
import { RUNG_WORDS, restsOn } from '../../../engine/core/proof/ladder.ts';
import { defined } from '../../../engine/core/text/defined.ts';
import { UsageError } from '../../../engine/core/text/errors.ts';
import { readSmall } from '../../../engine/files/whole-file.ts';
import {
  isOwnKey,
  keyName,
  parseReceipt,
  receiptProblems,
  spellingProblems,
} from '../../../engine/home/receipts.ts';
import type { ProjectPorts } from '../../../engine/hook/wiring/project-ports.ts';
import type { LoopRef } from '../../../engine/ports/ports.ts';
import { toneOf } from '../../loop/situation.ts';
import type { ReceiptView, VerdictView } from './loop-types.ts';

/**
 * The receipt of a loop with what `untildone receipt verify` finds about it. `inJournal`: what its journal says against it.
 * A run of a fleet signs with a key of its own, which nobody here knows.
 */
export async function receiptView(
  ref: LoopRef,
  world: ProjectPorts,
  inJournal: (receipt: Receipt) => Promise<string[]>,
  isOfFleet: boolean,
): Promise<ReceiptView> {
  const { status } = world.store.read(ref);
  const file = world.store.receiptFile(ref);
  const isThere = isDone(status) && lstatSync(file, { throwIfNoEntry: false })?.isFile();
  const text = isThere ? readSmall(file) : undefined;
  if (text === undefined)
    throw new UsageError(`loop ${ref.loop} has no receipt: it is ${status}, and only a done loop gets one`);
  const signed = parseReceipt(text, ref.loop);
  const { receipt } = signed;
  const other = receipt.loop === ref.loop ? [] : [`it is the receipt of another loop: ${receipt.loop}`];
  const problems = [
    ...receiptProblems(signed),
    ...spellingProblems(text, signed),
    ...other,
    ...(await inJournal(receipt)),
  ];
  const ownKey = isOwnKey(signed, world.home);
  return {
    ...partsOf(receipt),
    verification: {
      ok: problems.length === 0 && (ownKey || isOfFleet),
      problems,
      key: keyName(signed.publicKey),
      ownKey,
    },
    markdown: renderReceipt(receipt, 'md'),
  };
}

function partsOf(receipt: Receipt): Omit<ReceiptView, 'verification' | 'markdown'> {
  const { work, effort, cost, answers = [], questions = [] } = receipt;
  const ladder = ladderIn(receipt);
  const costUsd = cost ? (cost.usd ?? undefined) : effort.costUsd;
  return {
    loop: receipt.loop,
    status: receipt.status,
    tone: toneOf(receipt.status, 'ended'),
    statement: receipt.statement,
    task: receipt.task.preview,
    contract: receipt.contract.sha256,
    ...defined({
      madeAt: Date.parse(effort.endedAt) || undefined,
      commit: work.commit ?? undefined,
      tree: work.tree ?? undefined,
    }),
    verdicts: receipt.verdicts.map(verdictOf),
    ladder: {
      ...(ladder.rung === null ? {} : { rests: restsOn(ladder) }),
      rungs: ladder.rungs.map(({ rung, reached, gates, by }) => ({
        name: rung,
        words: RUNG_WORDS[rung],
        reached,
        gates,
        ...defined({ by }),
      })),
      weak: ladder.weak.map(({ what, gate, text }) => ({ what, text, ...(gate === null ? {} : { gate }) })),
    },
    allowed: receipt.allowed,
    answers: answers.map(({ gate, said, note, at }) => ({
      gate,
      said,
      at: Date.parse(at),
      ...defined({ note }),
    })),
    questions: questions.map(({ text, said, answer, at }) => ({
      text,
      said,
      at: Date.parse(at),
      ...defined({ answer }),
    })),
    effort: {
      iterations: effort.iterations,
      workingMs: effort.workingSeconds * 1000,
      tokens: effort.tokens,
      ...defined({
        costUsd,
        estimatedUsd: cost?.estimatedUsd || undefined,
        sessions: cost?.sessions ?? undefined,
      }),
    },
  };
}

function verdictOf(verdict: ReceiptVerdict): VerdictView {
  const {
    gate,
    kind,
    summary,
    command,
    exitCode,
    durationMs,
    notes = [],
    exceptions = [],
    children,
  } = verdict;
  const outcome = verdict.outcome as VerdictView['outcome'];
  return {
    gate,
    kind,
    class: verdict.class as VerdictView['class'],
    outcome,
    summary,
    notes,
    exceptions,
    blocks: outcome === 'fail',
    evidence: [],
    ...defined({
      command: command ?? undefined,
      exitCode: exitCode ?? undefined,
      durationMs: durationMs ?? undefined,
    }),
    ...defined({ room: verdict.room, walls: verdict.walls, tests: verdict.tests, flaky: verdict.flaky }),
    ...(verdict.reused ? { reused: true as const } : {}),
    children: children.map(verdictOf),
  };
}
