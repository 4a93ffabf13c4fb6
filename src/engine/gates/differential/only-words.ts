/** Whether a change is nothing but words: pages, and comments in code. */
import { programLanguage } from '../../core/proof/counted-code.ts';
import { maskSource } from '../../core/source/mask.ts';
import type { FileChange, Workspace } from '../../ports/ports.ts';
import type { Span } from '../shared/contents.ts';

/** Files in which nothing runs. */
export const NO_CODE = /\.(?:md|mdx|rst|adoc|txt)$|(?:^|\/)(?:LICENSE|\.gitignore)$/i;

export async function onlyWords(
  changes: readonly FileChange[],
  { from, to }: Span,
  { contentAt }: Pick<Workspace, 'contentAt'>,
): Promise<boolean> {
  for (const { path, change } of changes) {
    if (NO_CODE.test(path)) continue;
    if (change !== 'modified') return false;
    const [before, now] = [await contentAt(from, path), await contentAt(to, path)];
    if (before === undefined || now === undefined || !sameCode(path, before, now)) return false;
  }
  return true;
}

function sameCode(path: string, before: string, now: string): boolean {
  const language = programLanguage(path, now);
  if (language === undefined) return false;
  const codeOf = (text: string) => maskSource(text, language).uncommented.replace(/\s+/g, ' ').trim();
  return codeOf(before) === codeOf(now);
}
