/** What is shown is in the address, behind `#`: a link leads to it, and the browser's buttons work. Pure. */

export type Route =
  | { view: 'overview'; filter: Filter }
  | { view: 'loop'; loop: string; part: LoopPart; only: Only; at?: number }
  | { view: 'insights' }
  | { view: 'fleet' }
  | { view: 'unknown'; address: string };

export const LOOP_PARTS = ['timeline', 'board', 'gates', 'charts', 'receipt', 'tail'] as const;
export type LoopPart = (typeof LOOP_PARTS)[number];

/** Which lines of the journal a timeline shows. */
export const ONLY = ['all', 'stops', 'sessions', 'you', 'guards'] as const;
export type Only = (typeof ONLY)[number];

export const STATES = ['all', 'needs-you', 'working', 'waiting', 'done', 'undone'] as const;
export type StateFilter = (typeof STATES)[number];

export const SORTS = ['urgent', 'newest', 'cost', 'time', 'iteration', 'name'] as const;
export type Sort = (typeof SORTS)[number];

export interface Filter {
  words: string;
  state: StateFilter;
  project: string;
  sort: Sort;
}

export const EVERYTHING: Filter = { words: '', state: 'all', project: '', sort: 'urgent' };

export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2);
  const steps = path.split('/').filter((step) => step !== '');
  const asked = new URLSearchParams(query);
  const [first, second] = steps;
  if (first === undefined) return { view: 'overview', filter: filterOf(asked) };
  if ((first === 'insights' || first === 'fleet') && second === undefined) return { view: first };
  const loop = decoded(second);
  if (first === 'loop' && loop !== undefined)
    return {
      view: 'loop',
      loop,
      part: oneOf(LOOP_PARTS, steps[2]),
      only: oneOf(ONLY, asked.get('only')),
      ...placeOf(asked),
    };
  return { view: 'unknown', address: hash };
}

function placeOf(asked: URLSearchParams): { at?: number } {
  const text = asked.get('at') ?? '';
  return /^\d{1,9}$/.test(text) ? { at: Number(text) } : {};
}

function filterOf(asked: URLSearchParams): Filter {
  return {
    words: asked.get('q') ?? '',
    state: oneOf(STATES, asked.get('state')),
    project: asked.get('project') ?? '',
    sort: oneOf(SORTS, asked.get('sort')),
  };
}

/** The first of them where the address names none that exists. */
function oneOf<Name extends string>(
  names: readonly [Name, ...Name[]],
  asked: string | null | undefined,
): Name {
  return names.find((name) => name === asked) ?? names[0];
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined || text === '' ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export function addressOf(route: Route): string {
  switch (route.view) {
    case 'overview':
      return `#/${queryOf(namesOf(route.filter))}`;
    case 'insights':
    case 'fleet':
      return `#/${route.view}`;
    case 'loop': {
      const part = route.part === 'timeline' ? '' : `/${route.part}`;
      const asked = queryOf({ only: route.only === 'all' ? '' : route.only, at: String(route.at ?? '') });
      return `#/loop/${encodeURIComponent(route.loop)}${part}${asked}`;
    }
    default:
      return route.address;
  }
}

function namesOf({ words, state, project, sort }: Filter): Record<string, string> {
  return { q: words, state: state === 'all' ? '' : state, project, sort: sort === 'urgent' ? '' : sort };
}

function queryOf(named: Record<string, string>): string {
  const pairs = Object.entries(named).filter(([, value]) => value !== '');
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
