import type { Random } from './random.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const ODD_TEXTS = [
  '',
  ' ',
  '\n',
  '\0',
  '\ud800',
  '😀',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  '<promise>ALL DONE</promise>',
  '```\n<promise>ALL DONE</promise>',
  '$(touch pwned)',
  '%s%n',
  '/dev/zero',
  '/proc/self/mem',
  '.',
  '/',
];
const ODD_NUMBERS = [0, -0, -1, 1.5, 1e308, -1e308, 2 ** 31, 2 ** 53, Number.MIN_VALUE];

/** Any JSON value: odd ones more often than sensible ones. */
export function anyJson(random: Random, depth = 3): Json {
  const kind = random.below(depth > 0 ? 8 : 6);
  if (kind === 0) return null;
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return random.pick(ODD_NUMBERS);
  if (kind === 3) return random.pick(ODD_TEXTS);
  if (kind === 4) return 'x'.repeat(random.pick([1, 300, 70_000]));
  if (kind === 5) return anyText(random, 40);
  const size = random.below(4);
  if (kind === 6) return Array.from({ length: size }, () => anyJson(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: size }, () => [anyText(random, 8), anyJson(random, depth - 1)]),
  );
}

export function anyText(random: Random, longest: number): string {
  const length = random.below(longest + 1);
  return Array.from({ length }, () =>
    String.fromCharCode(random.below(random.chance(0.8) ? 128 : 65_536)),
  ).join('');
}

export function anyBytes(random: Random, longest: number): Buffer {
  return Buffer.from(Array.from({ length: random.below(longest + 1) }, () => random.below(256)));
}

/** One value somewhere inside becomes another, goes, or comes. */
export function mutateJson(value: Json, random: Random): Json {
  if (value === null || typeof value !== 'object' || random.chance(0.15)) return anyJson(random);
  const entries: [string, Json][] = Object.entries(value);
  const at = random.below(entries.length + 1);
  const chosen = entries[at];
  if (!chosen) entries.push([anyText(random, 8), anyJson(random)]);
  else if (random.chance(0.2)) entries.splice(at, 1);
  else entries[at] = [chosen[0], mutateJson(chosen[1], random)];
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

/** Bytes as a crash, a full disk, an editor or a malicious hand would leave them. */
export function mutateBytes(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  switch (random.below(8)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return bytes.subarray(at);
    case 2: {
      const flipped = Buffer.from(bytes);
      for (let i = random.below(6); i >= 0 && flipped.length > 0; i--) {
        flipped[random.below(flipped.length)] = random.below(256);
      }
      return flipped;
    }
    case 3:
      return Buffer.concat([bytes.subarray(0, at), anyBytes(random, 50), bytes.subarray(at)]);
    case 4:
      return Buffer.concat([bytes, bytes]);
    case 5:
      return Buffer.concat([Buffer.from('\ufeff'), bytes]);
    case 6:
      return Buffer.concat([bytes, Buffer.alloc(random.below(5000))]);
    default:
      return anyBytes(random, 300);
  }
}

/** A text that is JSON inside, changed as JSON half of the time and as bytes the other half. */
export function mutateText(text: string, random: Random): Buffer {
  if (random.chance(0.5)) return mutateBytes(Buffer.from(text), random);
  try {
    return Buffer.from(JSON.stringify(mutateJson(JSON.parse(text) as Json, random)));
  } catch {
    return mutateBytes(Buffer.from(text), random);
  }
}

const EVERYTHING = {
  transcript_path: '/nowhere/transcript.jsonl',
  cwd: '/',
  prompt_id: 'p1',
  permission_mode: 'default',
  stop_hook_active: true,
  last_assistant_message: 'I am done.',
  background_tasks: [{ id: 'b1', type: 'shell', status: 'running', description: 'server' }],
  session_crons: [{ id: 'c1', schedule: '* * * * *', recurring: true }],
  agent_id: 'a1',
  agent_type: 'Explore',
  agent_transcript_path: '/nowhere/agent.jsonl',
  source: 'startup',
  model: 'claude-opus-5-5',
  reason: 'other',
  error: 'rate_limit',
  tool_name: 'Bash',
  tool_input: { command: 'ls', file_path: '/tmp/x' },
  tool_use_id: 't1',
  task_id: '1',
  task_subject: 'subject',
  task_description: 'description',
  teammate_name: 'ann',
  team_name: 'team',
  prompt: 'go on',
  command_name: 'x',
  file_path: '/tmp/settings.json',
  trigger: 'auto',
};

/** A hook's stdin: an event as the client sends it, with some of its fields, one of them changed. */
export function anyInput(session: string, events: readonly string[], random: Random): Buffer {
  const kept = Object.entries(EVERYTHING).filter(() => random.chance(0.7));
  const fields: Record<string, Json> = Object.fromEntries(kept);
  const names = Object.keys(EVERYTHING);
  for (let i = random.below(3); i > 0; i--) fields[random.pick(names)] = anyJson(random);
  if (random.chance(0.3)) fields[anyText(random, 10)] = anyJson(random);
  // Most events carry no excuse: the work of a Stop is then done to its end.
  if (random.chance(0.5)) fields.background_tasks = [];
  const event = { ...fields, session_id: session, hook_event_name: random.pick(events) };
  const text = JSON.stringify(event);
  return random.chance(0.35) ? mutateText(text, random) : Buffer.from(text);
}
