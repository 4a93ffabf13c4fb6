/** What has to have happened in a demo, and how it is known: from the journal, the files and the simulator's log. */
import type { Scanned } from '../../adapters/journal-scan.ts';
import type { Entry } from '../../core/journal.ts';
import { isRecord } from '../../simulator/script.ts';
import type { SimulatorRequest } from '../../simulator/server.ts';
import type { JournalLine } from '../../wire/journal-line.ts';
import { CALLS, type Story } from './story.ts';

export interface Evidence {
  /** Exit codes of the story's test, run by the demo itself. */
  test: { before: number | null; after: number | null };
  /** The project's files in the end, as far as the story names them. */
  files: Readonly<Record<string, string | undefined>>;
  client: { code: number | null; session: string | undefined; failed: boolean };
  /** Of the newest loop; empty when there is none. */
  journal: readonly Scanned[];
  /** What the scripted model was asked, oldest first. */
  asked: readonly SimulatorRequest[];
}

export interface Check {
  name: string;
  happened(evidence: Evidence): boolean;
  /** A real model takes its own way: this need not happen on it. */
  scriptedOnly?: true;
}

export function checksOf(story: Story): Check[] {
  return [
    { name: 'the test of the sample project fails at first', happened: ({ test }) => (test.before ?? 0) > 0 },
    {
      name: 'the agent starts a loop in its own session',
      happened: ({ journal, client }) => {
        const [first] = linesOf(journal);
        return first?.entry.kind === 'started' && first.entry.session === client.session;
      },
    },
    {
      name: 'its first claim to be finished is held',
      scriptedOnly: true,
      happened: ({ journal }) => stopsOf(journal)[0]?.decision.kind === 'block',
    },
    {
      name: 'the model reads the reason, and goes on',
      scriptedOnly: true,
      happened: ({ asked }) => {
        const told = asked.findIndex(({ body }) => JSON.stringify(body ?? '').includes(REASON));
        return told > 0 && told < asked.length - 1;
      },
    },
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
    {
      name: `it leaves ${story.untouched.join(' and ')} as they were`,
      happened: ({ files }) => story.untouched.every((path) => files[path] === story.files[path]),
    },
    { name: 'the test passes when the demo itself runs it', happened: ({ test }) => test.after === 0 },
    {
      name: `the loop ends as ${story.ending}`,
      happened: ({ journal }) => {
        const decision = stopsOf(journal).at(-1)?.decision;
        const ended = decision?.kind === 'end' && decision.status === story.ending;
        return ended && linesOf(journal).at(-1)?.state.status === story.ending;
      },
    },
    {
      name: 'every line of the journal is whole and follows from the one before',
      happened: ({ journal }) => journal.length > 0 && journal.every((line) => line.ok && line.chained),
    },
    {
      name: 'the model was asked once for each of its turns',
      scriptedOnly: true,
      happened: ({ asked }) => {
        const turns = story.turns('').map((_, i) => `turn ${i + 1}`);
        return asked.map(({ servedBy }) => servedBy).join() === turns.join();
      },
    },
    {
      name: 'the session ends by itself, without an error',
      happened: ({ client }) => client.code === 0 && !client.failed,
    },
  ];
}

const REASON = 'Stop hook feedback:\\nuntildone: iteration 2 of ';

function linesOf(journal: readonly Scanned[]): JournalLine[] {
  return journal.flatMap((scanned) => (scanned.ok ? [scanned.line] : []));
}

function stopsOf(journal: readonly Scanned[]): Extract<Entry, { kind: 'stop' }>[] {
  return linesOf(journal).flatMap(({ entry }) => (entry.kind === 'stop' ? [entry] : []));
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
