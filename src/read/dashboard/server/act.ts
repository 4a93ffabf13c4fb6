/** What a person asks of a loop on the page: the same functions as the commands in a terminal. */
import type { Limit } from '../../../engine/core/run/option-values.ts';
import type { LimitChanges } from '../../../engine/core/run/raised-limits.ts';
import { oneLine } from '../../../engine/core/text/clip.ts';
import { UsageError } from '../../../engine/core/text/errors.ts';
import { redact } from '../../../engine/core/text/redact.ts';
import type { ProjectPorts } from '../../../engine/hook/wiring/project-ports.ts';
import type { LoopRef } from '../../../engine/ports/ports.ts';
import { answerAgent, answerIn, questionMeant } from '../../../engine/run/person/answer.ts';
import { answerQuestion } from '../../../engine/run/person/approve-reject.ts';
import { changeLimits } from '../../../engine/run/person/limits.ts';
import { commandLoop } from '../../../engine/run/person/pause-resume-cancel-release.ts';
import { requestsOf } from '../view/loop-page.ts';
import type { ActionRequest } from '../view/overview-types.ts';
import type { Acting } from './fleet/side.ts';
import type { Live } from './live.ts';
import type { DashboardPorts } from './world.ts';

const NOTE = 2_000;
export const MOST_TEXT = 20_000;

/** Writes to the journal of a loop of this machine. */
export function localActing(live: Live, world: DashboardPorts): Acting {
  return {
    async act(loop, request) {
      const ref = live.loops.ref(loop);
      if (!ref) throw new UsageError('there is no loop of this id');
      const own = world.open();
      const words = await act(request, ref, own);
      live.touched(loop);
      const journal = await live.journal(loop);
      const [made] = journal ? requestsOf(journal, own.store.read(ref), live.loops.sinceOf(loop)) : [];
      if (!made) throw new Error('the request was written, but the journal does not show it');
      return { request: made, words };
    },
  };
}

/** Writes the request to the journal, where the loop takes it at its next step. Returns what a terminal would say. */
async function act(request: ActionRequest, ref: LoopRef, world: ProjectPorts): Promise<string[]> {
  const said: string[] = [];
  const out = (line: string) => said.push(line);
  switch (request.action) {
    case 'pause':
    case 'resume':
    case 'cancel':
    case 'release':
      await commandLoop(request.action, ref, cleanNote(request.note), world, out);
      return said;
    case 'approve':
    case 'reject': {
      const meant = request.action === 'approve' ? 'approved' : 'rejected';
      await answerQuestion(
        { said: meant, name: request.gate, note: cleanNote(request.note) },
        ref,
        world,
        out,
      );
      return said;
    }
    case 'answer': {
      const question = questionMeant(world.store.read(ref), request.question);
      const given = answerIn(question, (request.text ?? '').slice(0, MOST_TEXT), request.option);
      return answerAgent(ref, question, given, world.store);
    }
    case 'limits':
      return changeLimits(ref, changesIn(request), world);
    case 'retry':
      throw new UsageError('only a run of a fleet is tried again; in a terminal: untildone run --resume');
  }
}

export function cleanNote(note: string | undefined): string | undefined {
  const text = oneLine(redact(note ?? ''), NOTE);
  return text === '' ? undefined : text;
}

function changesIn(request: Extract<ActionRequest, { action: 'limits' }>): LimitChanges {
  const { iterations, durationMs, costUsd, tokens } = request;
  const given = Object.entries({ iterations, durationMs, costUsd, tokens }).filter(
    ([, limit]) => limit !== undefined,
  );
  if (given.length === 0) throw new UsageError('name at least one limit');
  return Object.fromEntries(given.map(([name, limit]): [string, Limit] => [name, limit ?? 'unlimited']));
}

/** What a page sent, checked. Throws for everything that is no request. */
export function parseAction(value: unknown): ActionRequest {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw bad('a JSON object is asked for');
  const fields = value as Record<string, unknown>;
  const { action } = fields;
  switch (action) {
    case 'pause':
    case 'resume':
    case 'cancel':
    case 'release':
      return { action, ...textField(fields, 'note') };
    case 'approve':
      return { action, ...textField(fields, 'gate'), ...textField(fields, 'note') };
    case 'reject': {
      const { note } = textField(fields, 'note');
      if (note === undefined || note.trim() === '') throw bad('say what has to change: "note"');
      return { action, ...textField(fields, 'gate'), note };
    }
    case 'answer':
      return {
        action,
        ...countField(fields, 'question'),
        ...countField(fields, 'option'),
        ...textField(fields, 'text'),
      };
    case 'limits':
      return { action, ...limitsIn(fields) };
    case 'retry':
      return { action };
    default:
      throw bad('"action" is none of pause, resume, cancel, release, approve, reject, answer, limits, retry');
  }
}

function bad(message: string): UsageError {
  return new UsageError(`the request is not understood: ${message}`);
}

function textField<K extends string>(fields: Record<string, unknown>, name: K): { [key in K]?: string } {
  const value = fields[name];
  if (value === undefined || value === null) return {};
  if (typeof value !== 'string') throw bad(`"${name}" is no text`);
  return { [name]: value } as { [key in K]?: string };
}

function countField<K extends string>(fields: Record<string, unknown>, name: K): { [key in K]?: number } {
  const value = fields[name];
  if (value === undefined || value === null) return {};
  if (!Number.isSafeInteger(value) || (value as number) < 1)
    throw bad(`"${name}" is no number counted from 1`);
  return { [name]: value } as { [key in K]?: number };
}

const WHOLE = ['iterations', 'durationMs', 'tokens'];

function limitsIn(
  fields: Record<string, unknown>,
): Omit<Extract<ActionRequest, { action: 'limits' }>, 'action'> {
  const limits = ['iterations', 'durationMs', 'costUsd', 'tokens'].flatMap(
    (name): [string, number | null][] => {
      const value = fields[name];
      if (value === undefined) return [];
      const isNumber = typeof value === 'number' && Number.isFinite(value) && value > 0;
      if (value !== null && !(isNumber && (!WHOLE.includes(name) || Number.isSafeInteger(value))))
        throw bad(`"${name}" is no limit: a number above 0, or null for none`);
      return [[name, value as number | null]];
    },
  );
  return Object.fromEntries(limits);
}
