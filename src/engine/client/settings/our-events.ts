/** The events of our hooks, and which versions of Claude Code know them. */
import type { KnownEventName } from '../../core/loop/event.ts';
import { newerThan } from '../../core/text/version.ts';
import type { Settings } from './settings.ts';

/**
 * PostToolBatch is not among them, because a block there ends the session. UserPromptExpansion belongs to the commands of the
 * plugin alone: a Claude Code that does not know it would take none of these hooks.
 */
export const OUR_EVENTS: readonly (readonly [event: KnownEventName, kind: 'judged' | 'quick' | 'ending'])[] =
  [
    ['Stop', 'judged'],
    ['SubagentStop', 'judged'],
    ['SessionStart', 'quick'],
    ['SessionEnd', 'ending'],
    ['StopFailure', 'quick'],
    ['PreToolUse', 'quick'],
    ['PermissionRequest', 'quick'],
    ['PreCompact', 'quick'],
    ['ConfigChange', 'quick'],
    ['UserPromptSubmit', 'quick'],
    ['TaskCreated', 'judged'],
    ['TaskCompleted', 'judged'],
    ['TeammateIdle', 'judged'],
    ['SubagentStart', 'quick'],
  ];

/** By what happens at them. */
export function plannedEvents(): { judged: string[]; others: string[] } {
  const names = (judged: boolean) =>
    OUR_EVENTS.filter(([, kind]) => (kind === 'judged') === judged).map(([event]) => event);
  return { judged: names(true), others: names(false) };
}

/**
 * The first versions of Claude Code that know an event, as its list of changes says; UserPromptExpansion was measured (2.1.110
 * does not know it, 2.1.116 does). All other events of ours are older.
 */
const SINCE: Partial<Record<string, string>> = {
  TeammateIdle: '2.1.33',
  TaskCompleted: '2.1.33',
  ConfigChange: '2.1.49',
  StopFailure: '2.1.78',
  TaskCreated: '2.1.84',
  UserPromptExpansion: '2.1.116',
} satisfies Partial<Record<KnownEventName, string>>;

/** The first version that knows all these events. */
function firstToKnow(events: readonly string[]): string {
  return events
    .map((event) => SINCE[event] ?? OLDEST)
    .reduce((newest, one) => (newerThan(one, newest) ? one : newest), OLDEST);
}

const OLDEST = '2.0.0';

/** The first version that takes the hooks that `install` writes, and those of the plugin. */
export const FIRST_TO_HOLD = firstToKnow(OUR_EVENTS.map(([event]) => event));

interface Untaken {
  what: string;
  todo: string;
}

/**
 * Why this version takes no hook from these settings, and what to do: it does that, without a word, where it finds an event
 * that it does not know. Undefined when it knows all of them.
 */
export function unknownEvents(version: string, { hooks }: Settings): Untaken | undefined {
  const named = typeof hooks === 'object' && hooks !== null ? Object.keys(hooks) : [];
  const unknown = named.filter((event) => newerThan(firstToKnow([event]), version));
  if (unknown.length === 0) return undefined;
  const isPlanned = OUR_EVENTS.some(([event]) => unknown.includes(event));
  const rewrite = isPlanned ? '' : ', or write the hooks again, with: untildone install';
  return {
    what: `Claude Code ${version} does not know ${unknown.join(', ')}, and takes no hook from a file that names it`,
    todo: `update it to ${firstToKnow(unknown)} or newer, with: claude update${rewrite}`,
  };
}
