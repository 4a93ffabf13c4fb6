/**
 * Stands in for Claude Code as a process of its own: it speaks with the Agent SDK as the real one does, asks the hooks, keeps
 * its transcript, and works in the project by the score in its prompt. It needs no model and starts as fast as Node.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { type Deed, MADE, type Score, scoreIn } from './score.ts';

type Fields = Record<string, unknown>;

const MODEL = 'claude-opus-5-5';
const USAGE = { input_tokens: 1_000, output_tokens: 50 };
const LOOK_MS = 10;
const PIECE_USD = 0.01;

const args = process.argv.slice(2);
const optionOf = (name: string): string | undefined => {
  const at = args.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  return at < 0 ? undefined : (args[at]?.split('=')[1] ?? args[at + 1]);
};
const session = optionOf('--resume') ?? optionOf('--session-id') ?? '';
const cwd = process.cwd();
const transcript = join(
  process.env.CLAUDE_CONFIG_DIR ?? join(process.env.HOME ?? '', '.claude'),
  'projects',
  cwd.replace(/[^A-Za-z0-9]/g, '-'),
  `${session}.jsonl`,
);

const leaks = ['self', process.ppid].flatMap((pid) =>
  readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .flatMap((row) => /^UNTILDONE_(?:QUEUE|FLEET_SECRET)=./.exec(row)?.[0] ?? []),
);

const waiting = new Map<string, (answer: Fields) => void>();
const callbacks = new Map<string, string>();
let requests = 0;
let interrupted = false;
let spentUsd = 0;
const modelUsage = { [MODEL]: { inputTokens: 1_000, outputTokens: 50 } };
const budgetUsd = Number(optionOf('--max-budget-usd') ?? Number.POSITIVE_INFINITY);

function say(message: Fields): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function tell(message: Fields): void {
  say({ session_id: session, uuid: randomUUID(), parent_tool_use_id: null, ...message });
}

function keep(line: Fields): void {
  appendFileSync(transcript, `${JSON.stringify({ sessionId: session, cwd, uuid: randomUUID(), ...line })}\n`);
}

/** Asks a hook of the driver; an empty answer where none is registered. */
function ask(event: string, input: Fields): Promise<Fields> {
  const callback = callbacks.get(event);
  if (callback === undefined) return Promise.resolve({});
  const id = `asked-${++requests}`;
  const base = { session_id: session, transcript_path: transcript, cwd, permission_mode: 'acceptEdits' };
  const whole = { ...base, hook_event_name: event, ...input };
  return new Promise((answered) => {
    waiting.set(id, answered);
    say({
      type: 'control_request',
      request_id: id,
      request: { subtype: 'hook_callback', callback_id: callback, input: whole },
    });
  });
}

function note(score: Score, kind: Deed['kind'], piece?: number): void {
  const who = { session, cwd, pid: process.pid, driver: process.ppid, leaks };
  const deed: Deed = { kind, ...who, at: Date.now(), piece };
  appendFileSync(score.ledger, `${JSON.stringify(deed)}\n`);
}

/** Works until the hooks let it go. */
async function play(prompt: string): Promise<void> {
  mkdirSync(dirname(transcript), { recursive: true });
  await ask('UserPromptSubmit', { prompt });
  tell({
    type: 'system',
    subtype: 'init',
    model: MODEL,
    cwd,
    tools: ['Bash'],
    claude_code_version: '2.1.325',
  });
  keep({ type: 'user', message: { role: 'user', content: prompt } });
  const score = scoreIn(prompt) ?? scoreIn(readFileSync(transcript, 'utf8'));
  if (!score) return finish('there is no score in the prompt', true);
  spentUsd = priceSoFar(score);
  const before = spentUsd;
  note(score, 'began');
  let asked = prompt;
  for (let held = false; ; held = true) {
    const text = asked.includes('hand-over note') ? 'NOTE: see the files.' : await makePiece(score, asked);
    if (text === undefined || interrupted) return finish('interrupted', true, score);
    answer(text, score.usd ?? PIECE_USD);
    if (spentUsd - before >= budgetUsd)
      return finish('the budget is used up', true, score, 'budget_exhausted');
    const said = await ask('Stop', {
      stop_hook_active: held,
      last_assistant_message: text,
      background_tasks: [],
      session_crons: [],
    });
    if (interrupted || said.decision !== 'block')
      return finish(text, interrupted, score, said.continue === false ? 'stop_hook_prevented' : 'completed');
    asked = String(said.reason);
    keep({ type: 'user', isMeta: true, message: { role: 'user', content: `Stop hook feedback:\n${asked}` } });
  }
}

/** As the real one, a session that goes on counts on. */
function priceSoFar({ usd = PIECE_USD }: Score): number {
  return usd * (readFileSync(transcript, 'utf8').match(/"type":"assistant"/g) ?? []).length;
}

/** Undefined when a hook ends the session. */
async function makePiece(score: Score, asked: string): Promise<string | undefined> {
  const log = join(cwd, MADE);
  const made = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean).length : 0);
  const piece = made() + 1;
  const question = score.ask?.piece === piece && !asked.includes(score.ask.answer) ? score.ask : undefined;
  if (question) {
    const command = `untildone ask "${question.question}"`;
    await ask('PreToolUse', { tool_name: 'Bash', tool_input: { command } });
    return 'I wait for the answer.';
  }
  const input = { command: score.command ?? `echo ${piece} >> ${MADE}` };
  const allowed = await ask('PreToolUse', { tool_name: 'Bash', tool_input: input });
  if (allowed.continue === false) return undefined;
  note(score, 'working', piece);
  if (score.leavesProcess) spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }).unref();
  killOthers(score);
  if (score.workMs) await wait(score.workMs);
  const until = score.waitFor?.[piece];
  while (until !== undefined && !existsSync(until) && !interrupted) await wait(LOOK_MS);
  if (interrupted) return undefined;
  if (score.command === undefined) appendFileSync(log, `${piece}\n`);
  else spawnSync('/bin/sh', ['-c', score.command], { cwd, stdio: 'ignore' });
  note(score, 'made', piece);
  return `Piece ${piece} is made.`;
}

function killOthers({ kill }: Score): void {
  if (!kill || !existsSync(kill.whileThere)) return;
  process.kill(kill.whom === 'driver' ? process.ppid : parentOf(process.ppid), 'SIGKILL');
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

function answer(text: string, usd: number): void {
  spentUsd += usd;
  const content = [{ type: 'text', text }];
  const message = { id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model: MODEL, content };
  const whole = { ...message, stop_reason: 'end_turn', usage: USAGE };
  keep({ type: 'assistant', message: whole });
  tell({ type: 'assistant', message: whole });
}

function finish(text: string, failed: boolean, score?: Score, reason = 'aborted_streaming'): void {
  if (score) note(score, 'ended');
  tell({
    type: 'result',
    subtype: failed ? 'error_during_execution' : 'success',
    is_error: failed,
    result: text,
    errors: failed ? [text] : [],
    num_turns: 1,
    duration_ms: 1,
    duration_api_ms: 1,
    total_cost_usd: spentUsd,
    usage: USAGE,
    modelUsage,
    permission_denials: [],
    terminal_reason: reason,
  });
}

interface ControlRequest {
  request_id: string;
  request: { subtype: string; hooks?: Record<string, { hookCallbackIds: string[] }[]> };
}

const RESPONSES: Record<string, () => Fields> = {
  initialize: () => ({ commands: [], models: [], account: {} }),
  get_usage: () => ({ session: { total_cost_usd: spentUsd, model_usage: modelUsage } }),
};

function control({ request_id, request }: ControlRequest): void {
  for (const [event, [first]] of Object.entries(request.hooks ?? {}))
    if (first?.hookCallbackIds[0] !== undefined) callbacks.set(event, first.hookCallbackIds[0]);
  if (request.subtype === 'interrupt') interrupted = true;
  const response = RESPONSES[request.subtype]?.() ?? {};
  say({ type: 'control_response', response: { subtype: 'success', request_id, response } });
}

function hear(line: string): void {
  const message = JSON.parse(line) as Fields;
  if (message.type === 'control_request') control(message as never as ControlRequest);
  if (message.type === 'control_response') {
    const { request_id, response } = message.response as { request_id: string; response?: Fields };
    waiting.get(request_id)?.(response ?? {});
  }
  if (message.type === 'user') void play(String((message.message as Fields).content));
}

if (args.includes('--version')) process.stdout.write('2.1.325 (Claude Code)\n');
else
  createInterface({ input: process.stdin })
    .on('line', hear)
    .on('close', () => process.exit(0));
