import { fingerprint } from '../../core/loop/verdict.ts';
import { isGlob } from '../../core/text/globs.ts';
import type { Gate, GateContext, Judgement } from '../gate.ts';
import { conversationIn, frozenBy } from '../shared/asks.ts';
import { linesUnder, plainText } from '../shared/markdown.ts';
import { checklistTraits } from './traits.ts';

interface Options {
  file?: string;
  section?: string;
}

/**
 * The ticks of a Markdown list: a plan in a file, or the latest list in the conversation. The agent sets them, so they are
 * a claim. Of a glob, the newest file counts, and also the one that was the newest at the start of the loop: a new plan
 * does not replace one that is not done.
 */
export const checklistGate: Gate<'checklist'> = {
  ...checklistTraits,
  async freeze({ file, section }, { workspace }) {
    if (file === undefined) return undefined;
    const [plan] = isGlob(file) ? await workspace.find(file) : [file];
    const text = plan === undefined ? undefined : await workspace.read(plan);
    const items = (findItems(text ?? '', section) ?? []).map((item) => item.text);
    return isGlob(file) ? { items, file: plan } : { items };
  },
  async judge(options, context) {
    if (options.file === undefined) return judgeConversation(options, context);
    return isGlob(options.file)
      ? judgeNewest(options.file, options, context)
      : judgeFile(options.file, options, context, frozenItems(frozenBy(context)));
  },
};

async function judgeNewest(glob: string, options: Options, context: GateContext): Promise<Judgement> {
  const [newest] = await context.workspace.find(glob);
  const atStart = frozenFile(frozenBy(context));
  if (atStart !== undefined) {
    const judgement = await judgeFile(atStart, options, context, frozenItems(frozenBy(context)));
    if (judgement.outcome !== 'pass' || newest === atStart) return judgement;
  }
  if (newest === undefined) return { outcome: 'fail', summary: `there is no file that fits ${glob}` };
  return judgeFile(newest, options, context, []);
}

async function judgeFile(
  file: string,
  { section }: Options,
  context: GateContext,
  frozen: readonly string[],
): Promise<Judgement> {
  const text = await context.workspace.read(file);
  if (text === undefined) return { outcome: 'fail', summary: `${file} is missing` };
  const inScope = findItems(text, section);
  if (inScope === undefined) {
    return { outcome: 'fail', summary: `${file} has no section "${section}"`, ...restore(file, frozen) };
  }
  const everywhere = findItems(text) ?? [];
  const removed = missingFrom(everywhere, frozen);
  const items = [...inScope, ...movedOut(inScope, everywhere, frozen)];
  if (items.length === 0 && removed.length === 0) {
    const where = section === undefined ? file : `the section "${section}" of ${file}`;
    return { outcome: 'fail', summary: `no checklist items found in ${where}` };
  }
  return judgeItems(items, removed, file);
}

/** Judges the latest list of the conversation. Earlier lists stay open for ever in the transcript. */
async function judgeConversation({ section }: Options, context: GateContext): Promise<Judgement> {
  const said = findItems(context.request.lastMessage ?? '', section) ?? [];
  if (said.length > 0) return judgeItems(said, [], undefined);
  const earlier = [...conversationIn(context)].reverse();
  for (const { text } of earlier) {
    const items = findItems(text, section) ?? [];
    if (items.length > 0) return judgeItems(items, [], undefined);
  }
  return { outcome: 'unproven', summary: 'neither the final message nor the conversation holds a checklist' };
}

function judgeItems(items: readonly Item[], removed: readonly string[], file: string | undefined): Judgement {
  const open = items.filter((item) => !item.ticked);
  const count = `${items.length - open.length} of ${items.length} items are ticked`;
  if (open.length === 0 && removed.length === 0) return { outcome: 'pass', summary: count };
  const place = (item: Item) => (file === undefined ? '' : `${file}:${item.line}: `);
  const lost = removed.map((text) => `"${text}" was removed or rewritten: put it back`);
  const [next] = open;
  return {
    outcome: 'fail',
    summary: [...lost.slice(0, 1), count, ...(next ? [`next: ${next.text}`] : [])].join('; '),
    evidence: [...lost, ...open.map((item) => `${place(item)}- [ ] ${item.text}`)],
    next: next
      ? `Next: ${next.text} (${place(next) || 'in your list: '}tick it when it is done).`
      : undefined,
    fingerprint: fingerprint([...lost, ...open.map((item) => item.text)].join('\n')),
  };
}

function frozenItems(frozen: unknown): string[] {
  const items = (frozen as { items?: unknown } | undefined)?.items;
  return Array.isArray(items) ? items.filter((item) => typeof item === 'string') : [];
}

function frozenFile(frozen: unknown): string | undefined {
  const file = (frozen as { file?: unknown } | undefined)?.file;
  return typeof file === 'string' ? file : undefined;
}

/** The frozen items that are gone. An item that stood twice has to be there twice. */
function missingFrom(items: readonly Item[], frozen: readonly string[]): string[] {
  const left = items.map((item) => item.text);
  return frozen.filter((text) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** The frozen items that were moved out of the section. They still count. */
function movedOut(inScope: readonly Item[], everywhere: readonly Item[], frozen: readonly string[]): Item[] {
  const outside = everywhere.filter((item) => !inScope.some((other) => other.line === item.line));
  return missingFrom(inScope, frozen).flatMap((text) => {
    const at = outside.findIndex((item) => item.text === text);
    return at < 0 ? [] : outside.splice(at, 1);
  });
}

function restore(file: string, frozen: readonly string[]): Pick<Judgement, 'evidence'> {
  return frozen.length === 0
    ? {}
    : { evidence: frozen.map((text) => `${file}: "${text}" was removed: put it back`) };
}

/** One item of a Markdown task list. */
export interface Item {
  text: string;
  ticked: boolean;
  /** Counted from 1. */
  line: number;
}

const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\[([ xX])\]\s+(\S.*)$/;

/**
 * The items of a Markdown text, or of the section below one heading. Items in code blocks and comments do not count.
 * Undefined when there is no such heading.
 */
export function findItems(markdown: string, section?: string): Item[] | undefined {
  return linesUnder(markdown, section)?.flatMap(({ text: line, line: number, isCode }) => {
    const [, mark, text] = (isCode ? undefined : ITEM.exec(line)) ?? [];
    return text === undefined ? [] : [{ text: plainText(text), ticked: mark !== ' ', line: number }];
  });
}
