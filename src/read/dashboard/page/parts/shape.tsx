import type { ShapeName } from '../words/states.ts';

/**
 * Small drawn marks. Each state has a shape of its own, so that nobody needs to tell colours apart; the word stands beside
 * it or in its label.
 */
const PATHS: Record<ShapeName, preact.JSX.Element> = {
  done: (
    <>
      <circle cx="8" cy="8" r="7.5" class="fill" />
      <path d="M4.4 8.3l2.4 2.4 4.8-5.2" class="cut" />
    </>
  ),
  claimed: (
    <>
      <circle cx="8" cy="8" r="6.5" class="line dashed" />
      <path d="M5 8.4c1-1.6 2-1.6 3-.5s2 1.1 3-.5" class="line" />
    </>
  ),
  busy: (
    <>
      <circle cx="8" cy="8" r="6.5" class="line faint" />
      <path d="M8 1.5a6.5 6.5 0 0 1 6.5 6.5" class="line turning" />
      <circle cx="8" cy="8" r="2" class="fill" />
    </>
  ),
  gate: (
    <>
      <path d="M2 14V4.5L8 1.5l6 3V14" class="line" />
      <path d="M5.5 14V8h5v6" class="line" />
    </>
  ),
  you: (
    <>
      <path d="M8 .6L15.4 8 8 15.4.6 8z" class="fill" />
      <path d="M8 4.4v4.4M8 11v.6" class="cut" />
    </>
  ),
  wait: (
    <>
      <circle cx="8" cy="8" r="6.5" class="line" />
      <path d="M8 4.3V8l2.4 1.6" class="line" />
    </>
  ),
  undone: (
    <>
      <rect x=".8" y=".8" width="14.4" height="14.4" rx="2.5" class="fill" />
      <path d="M5 5l6 6M11 5l-6 6" class="cut" />
    </>
  ),
  stopped: (
    <>
      <rect x="1.5" y="1.5" width="13" height="13" rx="2.5" class="line" />
      <path d="M5 8h6" class="line" />
    </>
  ),
  paused: (
    <>
      <circle cx="8" cy="8" r="6.5" class="line" />
      <path d="M6.2 5.6v4.8M9.8 5.6v4.8" class="line" />
    </>
  ),
  start: <path d="M4 2.5l9 5.5-9 5.5z" class="line" />,
  held: (
    <>
      <path d="M3 5.5V11a3 3 0 0 0 3 3h4a3 3 0 0 0 3-3V5.5" class="line" />
      <path d="M3 5.5h10M8 1.8v6.7M5.6 6.4L8 8.8l2.4-2.4" class="line" />
    </>
  ),
  session: <path d="M2.5 5h9.5M9.5 2.2L12.6 5 9.5 7.8M13.5 11H4M6.5 8.2L3.4 11l3.1 2.8" class="line" />,
  person: (
    <>
      <circle cx="8" cy="5" r="3" class="line" />
      <path d="M2.5 14.2c.6-3 2.7-4.4 5.5-4.4s4.9 1.4 5.5 4.4" class="line" />
    </>
  ),
  unproven: (
    <>
      <path d="M8 1.5L15 14H1z" class="line" />
      <path d="M8 6v4M8 11.6v.4" class="line" />
    </>
  ),
  live: <circle cx="8" cy="8" r="4" class="fill" />,
  skip: <path d="M3.5 8h9" class="line" />,
  unknown: <circle cx="8" cy="8" r="6" class="line dashed" />,
};

/** With a label it is a picture of its own; without, the word beside it says the same. */
export function Shape({
  name,
  label,
  class: more = '',
}: {
  name: ShapeName;
  label?: string;
  class?: string;
}) {
  return (
    <svg
      class={`shape shape-${name} ${more}`}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      role={label === undefined ? undefined : 'img'}
      aria-label={label}
      aria-hidden={label === undefined}
    >
      {PATHS[name]}
    </svg>
  );
}
