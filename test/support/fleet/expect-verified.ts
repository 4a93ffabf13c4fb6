import { expect } from 'vitest';
import { parseReceipt, receiptProblems } from '../../../src/engine/home/receipts.ts';
import type { Fleet } from './fleet.ts';
import { type History, isAncestor, piecesJudged, piecesMade, publishedFile } from './history.ts';

/** The truth about a run that is done: nothing twice, nothing lost, nothing that does not hang together. */
export function expectVerified(fleet: Fleet, run: string): History {
  const { url, first } = fleet.remoteOf(run);
  const history = fleet.history(run);
  expect(history.state.status).toBe('verified_done');
  const asked = Array.from({ length: fleet.pieces - 1 }, (_, i) => i + 2);
  expect(piecesJudged(history)).toEqual([...asked, Number.POSITIVE_INFINITY]);
  expect(piecesMade(url, history.work)).toEqual([1, ...asked]);
  const branch = fleet.branchOf(run) ?? '';
  expect(piecesMade(url, branch)).toEqual([1, ...asked]);
  for (const commit of [branch, history.work]) expect(isAncestor(url, first, commit)).toBe(true);
  const receipt = parseReceipt(publishedFile(url, run, 'receipt.json') ?? '', run);
  expect(receiptProblems(receipt)).toEqual([]);
  expect(receipt.receipt.loop).toBe(run);
  return history;
}
