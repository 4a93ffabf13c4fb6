import type { Home } from '../../../engine/home/layout.ts';
import { eachHookCall, meantBy } from '../../reflect/metrics/gather.ts';
import { Spread } from '../../reflect/metrics/spread.ts';
import type { Insights } from '../view/insight-types.ts';

const MOST_EVENTS = 40;

/** How long hooks took, by event, most calls first. `projects`: only sessions that began there, or below. */
export async function hookLatency(
  home: Home,
  since: number,
  projects: readonly string[] | undefined,
): Promise<NonNullable<Insights['latency']>> {
  const isMeant = meantBy(projects);
  const spreads = new Map<string, Spread>();
  await eachHookCall(home, since, ({ event, project, ms }) => {
    if (!isMeant(project)) return;
    const known = spreads.get(event);
    if (!known && spreads.size >= MOST_EVENTS) return;
    const spread = known ?? new Spread();
    spread.add(ms);
    spreads.set(event, spread);
  });
  return [...spreads]
    .flatMap(([event, spread]) => {
      const figures = spread.toJSON();
      return figures ? [{ event, ...figures }] : [];
    })
    .map(({ sum: _, ...row }) => row)
    .sort((a, b) => b.count - a.count || (a.event < b.event ? -1 : 1));
}
