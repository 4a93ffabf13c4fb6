/** What has to have happened in the demo of a loop inside one session. */
import { isRecord } from '../simulator/script.ts';
import type { SimulatorRequest } from '../simulator/server.ts';
import {
  asksOnceATurn,
  type Check,
  endsAs,
  failsAtFirst,
  isHeldFirst,
  isWhole,
  leavesAsTheyWere,
  linesOf,
  type Observed,
  passesInTheEnd,
  readsTheReason,
} from './shared-checks.ts';
import { CALLS, type SessionStory } from './story.ts';

export interface Evidence extends Observed {
  client: { code: number | null; session: string | undefined; failed: boolean };
}

export function checksOf(story: SessionStory): Check<Evidence>[] {
  return [
    failsAtFirst,
    {
      name: 'the agent starts a loop in its own session',
      happened: ({ journal, client }) => {
        const [first] = linesOf(journal);
        return first?.entry.kind === 'started' && first.entry.session === client.session;
      },
    },
    isHeldFirst('its first claim to be finished is held'),
    readsTheReason,
    {
      name: 'it runs the test, which fails',
      scriptedOnly: true,
      happened: ({ asked }) => resultOf(CALLS.testFails, asked)?.is_error === true,
    },
    {
      name: `it repairs ${story.repaired.file}`,
      scriptedOnly: true,
      happened: ({ files }) => files[story.repaired.file] === story.repaired.text,
    },
    {
      name: 'it runs the test again, which passes',
      scriptedOnly: true,
      happened: ({ asked }) => resultOf(CALLS.testPasses, asked)?.is_error === false,
    },
    leavesAsTheyWere(story.untouched.join(' and '), story),
    passesInTheEnd,
    endsAs('loop', story),
    isWhole,
    asksOnceATurn(story),
    {
      name: 'the session ends by itself, without an error',
      happened: ({ client }) => client.code === 0 && !client.failed,
    },
  ];
}

/** The result of a tool call as the client sent it to the model. */
function resultOf(call: string, asked: readonly SimulatorRequest[]): Record<string, unknown> | undefined {
  const messages = asked.flatMap(({ body }) => (isRecord(body) ? listOf(body.messages) : []));
  const blocks = messages.flatMap(({ content }) => listOf(content));
  return blocks.find(({ type, tool_use_id }) => type === 'tool_result' && tool_use_id === call);
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
