/** Text from journals, tasks and people. It becomes a text node, with everything spelled out that steers or hides. */
import { visible, visibleText } from '../../../../engine/core/text/visible.ts';

export function Line({ text, class: more = '' }: { text: string; class?: string }) {
  return <span class={`outside ${more}`}>{visible(text)}</span>;
}

/** Several lines, as they were written. */
export function Block({ text, class: more = '' }: { text: string; class?: string }) {
  return <pre class={`block code outside ${more}`}>{visibleText(text)}</pre>;
}
