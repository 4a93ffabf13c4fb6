import type { HookEvent } from '../../core/loop/event.ts';
import type { AgentLine } from '../../core/loop/state.ts';
import { isLost } from '../../core/loop/subagents.ts';
import { globMatches } from '../../core/text/globs.ts';
import type { Gate, Judgement } from '../gate.ts';
import { subagentsTraits } from './traits.ts';

/**
 * The subagents of a loop with one type: there were enough, all ended, all passed. One that failed or was lost is replaced
 * by another of the same type that began later and passed.
 */
export const subagentsGate: Gate<'subagents'> = {
  ...subagentsTraits,
  judge({ type, atLeast }, context) {
    const { agents, event } = context.request;
    if (!agents) return { outcome: 'skip', summary: 'subagents are counted in loops only' };
    const own = agents
      .filter((agent) => globMatches(type, agent.type) && agent.id !== event?.agentId)
      .map((agent) => asOfNow(agent, event));
    const working = own.filter(({ status }) => status === 'working');
    const broken = notReplaced(own);
    const passed = own.filter(({ status }) => status === 'passed');
    const missing = Math.max(0, atLeast - passed.length - working.length - broken.length);
    if (working.length + broken.length + missing === 0) return done(type, passed);
    return open(type, { working, broken, missing, passed });
  },
};

/** The agent with its status at this Stop. One that should be at work, and is not, is lost. */
function asOfNow(agent: AgentLine, event: HookEvent | undefined): AgentLine {
  if (event?.name !== 'Stop') return agent;
  const running = event.backgroundTasks.filter(({ status }) => ['running', 'pending'].includes(status));
  return isLost(agent, running) ? { ...agent, status: 'lost' } : agent;
}

/** The agents that failed or were lost and were not replaced. Each needs a replacement of its own. */
function notReplaced(agents: readonly AgentLine[]): AgentLine[] {
  const spare = agents.filter(({ status }) => status === 'passed');
  const broken = agents.filter(({ status }) => status === 'failed' || status === 'lost');
  return broken.filter((agent) => {
    const at = spare.findIndex((other) => other.type === agent.type && cameAfter(other, agent));
    if (at >= 0) spare.splice(at, 1);
    return at < 0;
  });
}

/** Whether an agent began after another ended. When a lost agent ended is not known, so its beginning counts. */
function cameAfter(other: AgentLine, agent: AgentLine): boolean {
  if (agent.status === 'lost') return other.begunAt > agent.begunAt;
  return other.begunAt >= (agent.endedAt ?? Number.POSITIVE_INFINITY);
}

function done(type: string, passed: readonly AgentLine[]): Judgement {
  const said = passed.filter((agent) => agent.said !== undefined);
  const how = passed.length === 1 ? '1 subagent' : `${passed.length} subagents`;
  return {
    outcome: 'pass',
    summary: `${how} of the type ${type} ended and passed`,
    class: passed.length > 0 && passed.every((agent) => agent.measured) ? 'measured' : 'claimed',
    ...(said.length === 0 ? {} : { evidence: said.map((agent) => `${nameOf(agent)}: ${agent.said}`) }),
  };
}

interface Open {
  working: AgentLine[];
  broken: AgentLine[];
  missing: number;
  passed: AgentLine[];
}

function open(type: string, { working, broken, missing, passed }: Open): Judgement {
  const parts = [
    ...(broken.length > 0 ? [`${broken.length} did not pass`] : []),
    ...(working.length > 0 ? [`wait for ${working.map(nameOf).join(', ')}`] : []),
    ...(missing > 0 ? [`${missing} more ${missing === 1 ? 'is' : 'are'} to be started`] : []),
  ];
  return {
    outcome: 'fail',
    summary: `subagents of the type ${type}: ${passed.length} passed, ${parts.join(', ')}`,
    evidence: [...broken, ...working].map(lineFor),
    next: nextStep(type, { working, broken, missing }),
    fingerprint: [`${missing}`, ...[...broken, ...working].map(({ id, status }) => `${id} ${status}`)].join(
      '\n',
    ),
  };
}

function nextStep(type: string, { working, broken, missing }: Omit<Open, 'passed'>): string {
  const [first] = broken;
  if (first) {
    return `Start another subagent of the type ${first.type} for what ${nameOf(first)} was to do; it has to pass.`;
  }
  if (missing > 0) return `Start ${missing} more of the subagents of the type ${type}.`;
  return `Wait for ${working.map(nameOf).join(', ')}: you are told when they end. Do not do their work.`;
}

function nameOf({ type, id }: AgentLine): string {
  return `${type} (${id})`;
}

function lineFor(agent: AgentLine): string {
  switch (agent.status) {
    case 'failed':
      return `${nameOf(agent)}: ended although it fails: ${agent.failed ?? ''}`;
    case 'lost':
      return `${nameOf(agent)}: ended without being checked`;
    default:
      return `${nameOf(agent)}: still works`;
  }
}
