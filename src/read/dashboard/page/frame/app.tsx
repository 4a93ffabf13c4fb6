import { Component, type ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { visible } from '../../../../engine/core/text/visible.ts';
import { Fleet } from '../fleet/fleet.tsx';
import { Insights } from '../insights/insights.tsx';
import { Loop } from '../loop/loop.tsx';
import { Overview } from '../overview/overview.tsx';
import { Empty, Trouble } from '../parts/state.tsx';
import { live, watch } from '../state/live.ts';
import { addressOf, type Route } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { useRoute } from '../state/use.ts';
import { Bar } from './bar.tsx';
import { Help } from './help.tsx';
import { onKey } from './keys.ts';

export function App() {
  const route = useRoute();
  const { overview, problem } = useStore(live, (state) => state);
  const [isHelping, setHelping] = useState(false);
  const loop = route.view === 'loop' ? route.loop : undefined;
  const needs = overview?.needs.length ?? 0;
  useEffect(() => watch(loop), [loop, overview === undefined]);
  useEffect(() => {
    const hear = (event: KeyboardEvent) => onKey(event, () => setHelping(true));
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, []);
  useEffect(() => {
    const row = overview?.loops.find(({ id }) => id === loop);
    document.title = `${needs > 0 ? `(${needs}) ` : ''}${row ? `${visible(row.task)} · ` : ''}untildone`;
  });
  useEffect(() => scrollTo({ top: 0, behavior: 'instant' }), [route.view, loop]);
  return (
    <>
      <Bar route={route} needs={needs} fleet={overview?.fleet} help={() => setHelping(true)} />
      {overview ? (
        <Fallible address={addressOf(route)}>
          <Page route={route} />
        </Fallible>
      ) : (
        <main id="main">
          <h1 class="hidden">Overview</h1>
          {problem ? (
            <>
              <Trouble problem={problem} />
              <p class="soft">Trying again …</p>
            </>
          ) : (
            <Empty title="Reading journals …" />
          )}
        </main>
      )}
      {isHelping && <Help close={() => setHelping(false)} />}
    </>
  );
}

/** A fault of the page is said in words; another address begins anew. */
class Fallible extends Component<{ address: string; children: ComponentChildren }, { fault?: string }> {
  static override getDerivedStateFromError(error: unknown) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }

  override componentDidUpdate(before: { address: string }) {
    if (before.address !== this.props.address) this.setState({ fault: undefined });
  }

  override render() {
    const { fault } = this.state;
    if (fault === undefined) return this.props.children;
    const problem = {
      code: 'page',
      message: `This page has a fault: ${fault}`,
      fix: 'Load it again. The loops go on all the same.',
    };
    return (
      <main id="main">
        <h1>This cannot be shown</h1>
        <Trouble problem={problem} />
      </main>
    );
  }
}

function Page({ route }: { route: Route }) {
  const overview = useStore(live, (state) => state.overview);
  if (!overview) return null;
  switch (route.view) {
    case 'overview':
      return <Overview overview={overview} filter={route.filter} />;
    case 'loop':
      return <Loop key={route.loop} route={route} />;
    case 'fleet':
      return <Fleet />;
    case 'insights':
      return <Insights projects={overview.projects} />;
    default:
      return (
        <main id="main">
          <Empty title="There is nothing at this address">
            <a href="#/">To the overview</a>
          </Empty>
        </main>
      );
  }
}
