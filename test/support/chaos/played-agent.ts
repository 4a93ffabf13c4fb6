/**
 * The sessions of `played-judge.ts`: the runner is the real one, only its clients are played, in its own process. As the
 * real client does, they keep their sessions on disk, and count them on over a resume.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Script } from '../../../src/dev/simulator/script.ts';
import type { SessionFacts } from '../../../src/engine/core/run/session-end.ts';
import type {
  SessionHappening,
  SessionListener,
  SessionPlan,
  SessionPort,
} from '../../../src/engine/ports/ports.ts';
import { priceOf, tokensOf } from '../hook/scripted-model.ts';
import { scriptedSessions, type ToolCall } from '../run/scripted-session.ts';

/** What a session said of itself when it came back to the runner. */
export interface Report {
  session: string;
  costTotalUsd: number;
  tokensTotal: number;
}

export const PIECES = 25;
const STROKES = 4;
/** In the project, one line a stroke: `3.1` to `3.3`, and `3` when the piece is made. */
export const MADE = 'made.log';
/** What stands there in the end, if nothing was done twice or left out. */
export const EVERYTHING = Array.from({ length: PIECES }, (_, i) => i + 1).flatMap((piece) => [
  ...Array.from({ length: STROKES - 1 }, (_, i) => `${piece}.${i + 1}`),
  String(piece),
]);
/** In the home: one line for every session that came back. */
export const REPORTS = 'reports.jsonl';

const USAGE = { input_tokens: 2_000, output_tokens: 100 };
const COST_USD = priceOf(USAGE);
const { spent: TOKENS } = tokensOf(USAGE);

/** Works on until a piece is made, then stops. */
const MAKER: Script = {
  rules: [
    { when: { last: 'Write a hand-over note' }, turns: [{ text: 'NOTE: see made.log.', usage: USAGE }] },
    { when: { last: 'is made' }, turns: [{ text: 'Request {n}: one more is there.', usage: USAGE }] },
    {
      when: { any: '.' },
      turns: [{ tools: [{ name: 'Bash', input: { command: 'the next stroke' } }], usage: USAGE }],
    },
  ],
};

export function agentSessions({ env }: { env: NodeJS.ProcessEnv }): SessionPort {
  const home = env.HOME ?? '';
  const folder = join(home, '.claude', 'projects', 'played');
  mkdirSync(folder, { recursive: true });
  const played = scriptedSessions({ script: MAKER, perform: strike });
  /** Those that were begun in this very process. */
  const known = new Set<string>();
  return {
    missing: async () => undefined,
    prepare: (plan) => played.prepare(plan),
    async run(given, prompt, listener, limits) {
      const plan = 'plan' in given ? given.plan : given;
      const transcript = new Transcript(join(folder, `${plan.session}.jsonl`), prompt);
      if (plan.resume !== transcript.isThere) return { crash: refusalOf(plan) };
      const resume = known.has(plan.session);
      known.add(plan.session);
      const facts = await played.run({ ...plan, resume }, prompt, heardBy(transcript, listener), limits);
      return reported(facts, plan, transcript, join(home, REPORTS));
    },
  };
}

function refusalOf({ session, resume }: SessionPlan): string {
  return resume
    ? `No conversation found with session ID: ${session}`
    : `Session ID ${session} is already in use.`;
}

/** One write, whole or not at all. Whoever worked beside us at the same moment would make the same stroke again. */
async function strike(_: ToolCall, { cwd }: SessionPlan): Promise<{ output: string }> {
  const log = join(cwd, MADE);
  const done = readFileSync(log, 'utf8').split('\n');
  const next = EVERYTHING.find((stroke) => !done.includes(stroke));
  await nextTurn();
  if (next === undefined) return { output: 'everything is made' };
  appendFileSync(log, `${next}\n`);
  return { output: next.includes('.') ? `stroke ${next}` : `piece ${next} is made` };
}

function heardBy(transcript: Transcript, listener: SessionListener): SessionListener {
  return {
    async event(event, signal) {
      const answer = await listener.event({ ...event, transcript: transcript.path }, signal);
      if (event.name === 'Stop' && answer.kind === 'refuse') transcript.held(answer.reason);
      return answer;
    },
    happened(happening) {
      transcript.take(happening);
      listener.happened(happening);
    },
  };
}

/** Totals are those of the whole session, also of what was asked before the runner was killed. */
function reported(
  facts: SessionFacts,
  { session }: SessionPlan,
  transcript: Transcript,
  reports: string,
): SessionFacts {
  if (!facts.result) return facts;
  const requests = transcript.requests();
  const report: Report = { session, costTotalUsd: requests * COST_USD, tokensTotal: requests * TOKENS };
  appendFileSync(reports, `${JSON.stringify(report)}\n`);
  const { costTotalUsd, tokensTotal } = report;
  return { ...facts, result: { ...facts.result, costTotalUsd, tokensTotal } };
}

/** In the client's own form, as far as the runner reads it. */
class Transcript {
  readonly path: string;
  readonly isThere: boolean;
  readonly #prompt: string;
  #model = '';
  #message = '';
  #call = '';

  constructor(path: string, prompt: string) {
    this.path = path;
    this.isThere = existsSync(path);
    this.#prompt = prompt;
  }

  take(happening: SessionHappening): void {
    switch (happening.kind) {
      case 'began':
        this.#user(this.#prompt);
        break;
      case 'usage':
        this.#model = happening.model;
        this.#message = `msg_${randomUUID()}`;
        this.#answer([]);
        break;
      case 'said':
        this.#answer([{ type: 'text', text: happening.text }], 'end_turn');
        break;
      case 'called':
        this.#call = `toolu_${randomUUID()}`;
        this.#answer([{ type: 'tool_use', id: this.#call, name: happening.tool }], 'tool_use');
        break;
      case 'returned':
        this.#user([{ type: 'tool_result', tool_use_id: this.#call, content: '' }]);
        break;
    }
  }

  held(reason: string): void {
    this.#user(`Stop hook feedback:\n${reason}`, { isMeta: true });
  }

  requests(): number {
    return new Set(readFileSync(this.path, 'utf8').match(/msg_[\w-]+/g)).size;
  }

  #answer(content: object[], stopReason: string | null = null): void {
    const message = { id: this.#message, role: 'assistant', model: this.#model, content, usage: USAGE };
    this.#write({ type: 'assistant', message: { ...message, stop_reason: stopReason } });
  }

  #user(content: unknown, more: object = {}): void {
    this.#write({ type: 'user', message: { role: 'user', content }, ...more });
  }

  #write(line: object): void {
    appendFileSync(this.path, `${JSON.stringify(line)}\n`);
  }
}
