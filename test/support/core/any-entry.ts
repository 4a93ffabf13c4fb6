import fc from 'fast-check';
import type { StopSeen } from '../../../src/engine/core/loop/count-stop.ts';
import type { Entry, StartedEntry } from '../../../src/engine/core/loop/entry.ts';
import { type Decision, ENDINGS, SAID } from '../../../src/engine/core/loop/state.ts';
import type { Verdict } from '../../../src/engine/core/loop/verdict.ts';
import { ASK_POLICIES } from '../../../src/engine/core/run/option-values.ts';
import { anyCharacter } from '../any-character.ts';
import { STARTED, T0 } from './samples.ts';

/** Texts as they come from outside: any Unicode, lone halves of characters, names that every object inherits. */
export const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', '', '\ud800', '\n', '😀', '0', '1'),
);

/** Absent values are there as keys, too: the journal does not tell the two apart. */
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const anyVerdict = fc
  .record({
    gate: anyText,
    kind: anyText,
    class: fc.constantFrom('measured', 'judged', 'claimed'),
    outcome: fc.constantFrom('pass', 'fail', 'unproven', 'skip'),
    summary: anyText,
    evidence: optional(fc.array(anyText, { maxLength: 2 })),
    fingerprint: optional(anyText),
    onUnproven: optional(fc.constantFrom('block', 'allow')),
    asks: optional(anyText),
  })
  .map((v) => v as Verdict);

const anyUsage = fc.record({
  offset: fc.nat(),
  tokens: fc.nat(),
  lastMessageId: optional(anyText),
  costTotalUsd: optional(fc.double({ min: 0, max: 1e6, noNaN: true })),
});

const anySubagents = fc.array(
  fc.record({
    file: fc.oneof(fc.constantFrom('agent-a.jsonl', 'agent-b.jsonl'), anyText),
    from: fc.constantFrom(0, 10),
    offset: fc.constantFrom(10, 20),
    tokens: fc.nat(),
    lastMessageId: optional(anyText),
    at: fc.nat(),
    since: optional(fc.nat()),
  }),
  { maxLength: 3 },
);

const anyPhase = fc.record({
  name: fc.oneof(fc.constantFrom('plan', 'build'), anyText),
  passed: fc.array(anyText, { maxLength: 2 }),
});

const anySeen = fc
  .record({
    promptId: optional(anyText),
    stopHookActive: fc.boolean(),
    message: optional(fc.constantFrom('empty', 'a', 'b')),
    toolSinceBlock: fc.boolean(),
    background: fc.array(fc.record({ id: anyText, type: anyText }), { maxLength: 3 }),
    wakeUps: fc.record({ once: fc.nat(2), recurring: fc.nat(2) }),
    contextShare: optional(fc.double({ min: 0, max: 2, noNaN: true })),
    tree: optional(anyText),
    phase: optional(anyPhase),
    blockCap: fc.nat(9),
    usage: optional(anyUsage),
    subagents: optional(anySubagents),
  })
  .map((seen) => seen as StopSeen);

const anyWait = fc.constantFrom('background', 'wake_up', 'context_full', 'approval');

const anyDecision: fc.Arbitrary<Decision> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Decision>({ kind: 'block', instruction: 'continue' }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('allow' as const), cause: anyWait, wait: anyWait }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      status: fc.constantFrom(...ENDINGS),
      cause: anyText,
      detail: anyText,
    }),
  },
);

const EVENTS = [
  'SessionStart',
  'SessionEnd',
  'StopFailure',
  'PreToolUse',
  'UserPromptSubmit',
  'Notification',
];

const anyLater: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({
    kind: fc.constant('stop' as const),
    seen: anySeen,
    verdicts: fc.array(anyVerdict, { maxLength: 3 }),
    decision: anyDecision,
    took: optional(fc.dictionary(anyText, fc.record({ at: fc.nat(), ms: fc.nat() }), { maxKeys: 2 })),
  }),
  fc
    .record({
      kind: fc.constant('event' as const),
      event: fc.oneof(fc.constantFrom(...EVENTS), anyText),
      detail: optional(fc.dictionary(fc.constantFrom('source', 'reason', 'error', 'tool'), anyText)),
    })
    .map((entry) => entry as Entry),
  fc
    .record({
      kind: fc.constant('event' as const),
      event: fc.constantFrom('SubagentStart', 'SubagentStop'),
      detail: fc.dictionary(fc.constantFrom('id', 'type', 'worktree', 'commit'), anyText),
    })
    .map((entry) => entry as Entry),
  fc
    .record({
      kind: fc.constant('guard' as const),
      event: anyText,
      subject: anyText,
      verdicts: fc.array(anyVerdict, { maxLength: 2 }),
      refused: fc.boolean(),
      agent: optional(fc.record({ id: anyText, type: anyText })),
      subagents: optional(anySubagents),
    })
    .map((entry) => entry as Entry),
  fc
    .record({
      kind: fc.constant('command' as const),
      command: fc.constantFrom('pause' as const, 'resume' as const),
      note: optional(anyText),
    })
    .map((entry) => entry as Entry),
  fc.record({ kind: fc.constant('allowed' as const), exception: anyText }),
  fc.record({
    kind: fc.constant('reopened' as const),
    contractSha256: anyText,
    maxIterations: fc.nat(),
    limits: optional(anyText),
  }),
  fc.record({
    kind: fc.constant('moved' as const),
    worker: anyText,
    contractSha256: anyText,
    iteration: fc.nat(100),
  }),
  fc
    .record({
      kind: fc.constant('answered' as const),
      gate: fc.oneof(anyText, fc.constantFrom('question 1', 'question 2')),
      said: fc.constantFrom(...SAID),
      note: optional(anyText),
      digest: optional(anyText),
      option: optional(fc.nat(9)),
    })
    .map((entry) => entry as Entry),
  fc
    .record({
      kind: fc.constant('asked' as const),
      name: fc.constantFrom('question 1', 'question 2', 'question 3'),
      text: anyText,
      options: optional(fc.array(anyText, { maxLength: 2 })),
      policy: fc.constantFrom(...ASK_POLICIES),
      waitMs: fc.oneof(fc.nat(), fc.constant('unlimited' as const)),
    })
    .map((entry) => entry as Entry),
  fc
    .record({
      kind: fc.constant('synced' as const),
      iteration: optional(fc.nat(100)),
      maxIterations: optional(fc.oneof(fc.nat(100), fc.constant('unlimited' as const))),
      says: optional(fc.nat(100)),
    })
    .map((entry) => entry as Entry),
  fc.record({ kind: fc.constant('claimed' as const), session: anyText, transcriptOffset: fc.nat() }),
  fc.record({
    kind: fc.constant('intent' as const),
    session: anyText,
    resume: fc.boolean(),
    why: anyText,
  }),
  fc
    .record({
      kind: fc.constant('result' as const),
      end: fc.record({ kind: fc.constantFrom('completed' as const, 'api_error' as const), detail: anyText }),
      costTotalUsd: optional(fc.double({ min: 0, max: 1e3, noNaN: true })),
      tokensTotal: optional(fc.nat()),
    })
    .map((entry) => entry as Entry),
  fc.record({ kind: fc.constant('error' as const), message: anyText }),
);

export interface Timed {
  entry: Entry;
  at: number;
}

/** The entries of one journal in order. Clocks go backwards too. */
export function anyJournal(started: StartedEntry = STARTED, maxLength = 12): fc.Arbitrary<Timed[]> {
  const step = fc.tuple(anyLater, fc.integer({ min: -60_000, max: 3_600_000 }));
  return fc.array(step, { maxLength }).map((steps) => {
    let at = T0;
    const later = steps.map(([entry, passed]) => {
      at += passed;
      return { entry, at };
    });
    return [{ entry: started, at: T0 }, ...later];
  });
}
