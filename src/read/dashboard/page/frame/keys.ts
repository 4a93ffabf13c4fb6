/** Keys do what a tap does. They rest while you write, and while a window asks you something. */
import { EVERYTHING } from '../state/route.ts';
import { go } from '../state/use.ts';
import { nextTheme } from './theme.ts';

export const KEYS: [string[], string][] = [
  [['j', 'k'], 'next, previous row'],
  [['Enter'], 'open the row'],
  [['Esc'], 'close, clear, go back'],
  [['/'], 'search'],
  [['g', 'o'], 'go to the overview'],
  [['g', 'i'], 'go to the insights'],
  [['g', 'f'], 'go to the fleet'],
  [['[', ']'], 'previous, next part of a loop'],
  [['p'], 'pause or resume the loop'],
  [['l'], 'change the limits of the loop'],
  [['x'], 'cancel the loop, after a question'],
  [['d'], 'light, dark, or as the system'],
  [['?'], 'these keys'],
];

let before: { key: string; at: number } | undefined;

export function onKey(event: KeyboardEvent, showHelp: () => void): void {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  const { target } = event;
  if (target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) {
    if (event.key === 'Escape') leave(target);
    return;
  }
  const sequence = before && event.timeStamp - before.at < 1500 ? `${before.key} ${event.key}` : '';
  before = { key: event.key, at: event.timeStamp };
  const act = ACTS[sequence] ?? ACTS[event.key];
  if (event.key === '?') showHelp();
  else if (act) act();
  else return;
  event.preventDefault();
}

/** Escape in the search clears it first. */
function leave(field: HTMLElement): void {
  if (field.id === 'search' && (field as HTMLInputElement).value !== '')
    go({ view: 'overview', filter: EVERYTHING }, { replace: true });
  else field.blur();
}

const ACTS: Record<string, () => void> = {
  j: () => step(1),
  k: () => step(-1),
  '/': search,
  'g o': () => go({ view: 'overview', filter: EVERYTHING }),
  'g i': () => go({ view: 'insights' }),
  'g f': () => press('a[href="#/fleet"]'),
  '[': () => tab(-1),
  ']': () => tab(1),
  p: () => press('[data-action=pause], [data-action=resume]'),
  l: () => press('[data-action=limits]'),
  x: () => press('[data-action=cancel]'),
  d: nextTheme,
  Escape: back,
};

function all(selector: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selector)];
}

function press(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.click();
}

function step(by: number): void {
  const rows = all('[data-row]');
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

function search(): void {
  const field = document.getElementById('search');
  field?.focus();
  if (field) return;
  go({ view: 'overview', filter: EVERYTHING });
  requestAnimationFrame(() => document.getElementById('search')?.focus());
}

function tab(by: number): void {
  const tabs = all('[data-part]');
  const at = tabs.findIndex((one) => one.getAttribute('aria-current') === 'page');
  tabs[at + by]?.click();
}

/** From an opened line to the loop, from a loop to the overview. */
function back(): void {
  const open = document.querySelector<HTMLElement>('.entry-line[aria-expanded=true]');
  if (open) {
    open.click();
    open.focus();
  } else if (location.hash.replace(/^#\/?/, '') !== '') go({ view: 'overview', filter: EVERYTHING });
}
