import type { ComponentChildren } from 'preact';

/** Something wider than the page. The keyboard scrolls it, too. */
export function Scrolled({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus, no key could scroll it.
    <section class="scrolled" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
