import { clockOf } from '../../../../engine/core/text/moment.ts';
import type { Overview } from '../../view/types.ts';
import { Shape } from '../parts/shape.tsx';
import { type Link, live } from '../state/live.ts';
import type { Route } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { type Choice, nextTheme, useTheme } from './theme.ts';

const THEMES: Record<Choice, string> = { system: 'System', light: 'Light', dark: 'Dark' };

interface BarProps {
  route: Route;
  needs: number;
  fleet: Overview['fleet'];
  help(): void;
}

export function Bar({ route, needs, fleet, help }: BarProps) {
  const theme = useTheme();
  const current = (view: Route['view']) => (route.view === view ? ('page' as const) : undefined);
  return (
    <header class="bar">
      <button type="button" class="skip" onClick={toMain}>
        Skip to content
      </button>
      <div class="bar-inner">
        <a class="brand" href="#/" aria-label="untildone, overview">
          <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
            <path d="M12 2.5a9.5 9.5 0 1 0 9.5 9.5" class="brand-ring" />
            <path d="M7.5 11.5l4 4 9-10" class="brand-tick" />
          </svg>
          <span>untildone</span>
        </a>
        <nav aria-label="Pages">
          <a href="#/" aria-current={current('overview')}>
            Overview
            {needs > 0 && (
              <span class="badge">
                {needs}
                <span class="hidden"> need you</span>
              </span>
            )}
          </a>
          {fleet && (
            <a href="#/fleet" aria-current={current('fleet')}>
              Fleet
            </a>
          )}
          <a href="#/insights" aria-current={current('insights')}>
            Insights
          </a>
        </nav>
        <Connection />
        <button type="button" class="button plain tool" onClick={nextTheme} title="Light or dark (d)">
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <circle cx="8" cy="8" r="6.5" class="theme-ring" />
            <path d="M8 1.5a6.5 6.5 0 0 1 0 13z" class="theme-half" />
          </svg>
          <span class="wide-only">{THEMES[theme]}</span>
          <span class="hidden"> theme</span>
        </button>
        <button type="button" class="button plain tool wide-only" onClick={help} aria-label="Keys (?)">
          <kbd>?</kbd>
        </button>
      </div>
      <Lost away={fleet?.away} />
    </header>
  );
}

/** The address is the state of the page, so no link can lead there. */
function toMain(): void {
  const main = document.getElementById('main');
  main?.setAttribute('tabindex', '-1');
  main?.focus();
}

function Connection() {
  const link = useStore(live, (state) => state.link);
  const [tone, words] = {
    opening: ['calm', 'Connecting'],
    live: ['done', 'Live'],
    lost: ['undone', 'Not connected'],
    over: ['undone', 'Server ended'],
  }[link.state] as [string, string];
  return (
    <span class={`connection tone-${tone}`} role="status">
      <Shape name={link.state === 'live' ? 'live' : link.state === 'opening' ? 'unknown' : 'undone'} />
      <span class={link.state === 'live' ? 'wide-only' : ''}>{words}</span>
    </span>
  );
}

function Lost({ away }: { away: string | undefined }) {
  const link = useStore(live, (state) => state.link);
  const isLost = link.state === 'lost' || link.state === 'over';
  if (!isLost && away === undefined) return null;
  return (
    <p class="lost" role="alert">
      {isLost ? lostWords(link) : away}
    </p>
  );
}

function lostWords({ state, since }: Link): string {
  const at = clockOf(since);
  if (state === 'over')
    return `The server ended at ${at}. What you see is from then. Start it again: untildone dashboard`;
  return `Not connected since ${at}. What you see is from then; connecting again …`;
}
