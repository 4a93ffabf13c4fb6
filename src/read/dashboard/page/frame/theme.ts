/** Light or dark: as the system says, until you choose. The choice stays in this browser. */
import { makeStore, useStore } from '../state/store.ts';

export type Choice = 'system' | 'light' | 'dark';
const CHOICES: readonly Choice[] = ['system', 'light', 'dark'];
const KEY = 'untildone-theme';

const dark = matchMedia('(prefers-color-scheme: dark)');
const theme = makeStore<{ choice: Choice }>({ choice: kept() });

/** A browser may forbid to keep anything. */
function kept(): Choice {
  try {
    return CHOICES.find((choice) => choice === localStorage.getItem(KEY)) ?? 'system';
  } catch {
    return 'system';
  }
}

function show(): void {
  const { choice } = theme.get();
  const isDark = choice === 'dark' || (choice === 'system' && dark.matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

export function beginTheme(): void {
  show();
  dark.addEventListener('change', show);
}

export function nextTheme(): void {
  const { choice } = theme.get();
  const next = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length] ?? 'system';
  theme.set({ choice: next });
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // It lasts until the page is loaded again.
  }
  show();
}

export function useTheme(): Choice {
  return useStore(theme, ({ choice }) => choice);
}
