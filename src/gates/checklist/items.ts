import { linesUnder, plainText } from '../shared/markdown.ts';

/** One item of a Markdown task list. */
export interface Item {
  text: string;
  ticked: boolean;
  /** Counted from 1. */
  line: number;
}

const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\[([ xX])\]\s+(\S.*)$/;

/**
 * The items of a Markdown text outside code fences and comments; of the sections under one heading, when named.
 * Undefined when there is no such heading.
 */
export function findItems(markdown: string, section?: string): Item[] | undefined {
  return linesUnder(markdown, section)?.flatMap(({ text: line, line: number, isCode }) => {
    const [, mark, text] = (isCode ? undefined : ITEM.exec(line)) ?? [];
    return text === undefined ? [] : [{ text: plainText(text), ticked: mark !== ' ', line: number }];
  });
}
