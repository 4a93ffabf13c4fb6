/** Loops for the browser: those of the examples as they stood at some moment, and one full of hostile text. */
import type { Entry } from '../../../src/engine/core/loop/entry.ts';
import type { Verdict } from '../../../src/engine/core/loop/verdict.ts';
import type { ExampleHome } from './examples.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

/** Entries of `four-chunks` until it waits for the approval of its plan. */
const UNTIL_PLAN_IS_ASKED_FOR = 5;

export function playExamples(home: ExampleHome, now: number): void {
  const ended = (status: 'stalled' | 'reached_limit', cause: string, detail: string): Entry => ({
    kind: 'ended' as const,
    status,
    cause,
    detail,
  });
  home.play({
    example: 'one-session',
    loop: 'leap-year',
    project: 'leap-year',
    at: now - 5 * HOUR,
    until: now - 4.5 * HOUR,
  });
  home.play({
    example: 'many-sessions',
    loop: 'stalled',
    project: 'numbers',
    at: now - 26 * HOUR,
    until: now - 24 * HOUR,
    task: 'Make the build reproducible',
    entries: 10,
    more: [ended('stalled', 'same_failure', '5 times')],
  });
  home.play({
    example: 'eight-cheats',
    loop: 'limit',
    project: 'shop',
    at: now - 30 * HOUR,
    until: now - 28 * HOUR,
    task: 'Let the cart round like the till',
    entries: 9,
    more: [ended('reached_limit', 'iterations', '20 of 20')],
  });
  home.play({
    example: 'one-session',
    loop: 'cancelled',
    project: 'leap-year',
    at: now - 9 * HOUR,
    until: now - 8.8 * HOUR,
    task: 'Try the other calendar',
    entries: 2,
    more: [{ kind: 'command', command: 'cancel' }],
  });
  home.play({
    example: 'eight-cheats',
    loop: 'cart',
    project: 'shop',
    at: now - 80 * MINUTE,
    until: now - 3 * MINUTE,
    entries: 17,
  });
  home.play({
    example: 'many-sessions',
    loop: 'four',
    project: 'numbers',
    at: now - 55 * MINUTE,
    until: now - MINUTE,
    entries: 13,
  });
  home.play({
    example: 'one-session',
    loop: 'question',
    project: 'leap-year',
    at: now - 34 * MINUTE,
    until: now - 15 * MINUTE,
    entries: 2,
    task: 'Let years before 1582 follow the Julian calendar',
    more: [
      {
        kind: 'asked',
        name: 'question 1',
        policy: 'wait',
        waitMs: 'unlimited',
        text: 'Which rule holds for the year 1582 itself?',
        options: ['Julian', 'Gregorian'],
      } as Entry,
    ],
  });
  home.play({
    example: 'four-chunks',
    loop: 'till',
    project: 'till',
    at: now - 20 * MINUTE,
    until: now - 12 * MINUTE,
    entries: UNTIL_PLAN_IS_ASKED_FOR,
  });
}

/** What an attacker would put into names and outputs. */
export const HOSTILE =
  '<img src=x onerror="window.pwned=1"><script>window.pwned=2</script>"\'><svg onload=pwned=3> javascript:alert(1) \u202egnp.exe \u001b[31m';

export function hostileLoop(home: ExampleHome, now: number): void {
  const verdict: Verdict = {
    gate: HOSTILE.slice(0, 80),
    kind: 'run',
    class: 'measured',
    outcome: 'fail',
    summary: HOSTILE,
    evidence: [HOSTILE, `src/${HOSTILE}.ts:1`],
    next: HOSTILE,
    fingerprint: 'f',
  };
  home.play({
    example: 'one-session',
    loop: 'hostile',
    project: 'hostile',
    at: now - 70 * MINUTE,
    until: now - 70 * MINUTE,
    entries: 0,
    task: HOSTILE,
    more: [
      {
        kind: 'stop',
        seen: {
          blockCap: 8,
          stopHookActive: false,
          toolSinceBlock: true,
          background: [],
          wakeUps: { once: 0, recurring: 0 },
        },
        verdicts: [verdict],
        decision: { kind: 'block', instruction: 'continue' },
      },
      { kind: 'event', event: 'PermissionDenied', detail: { tool: HOSTILE, input: HOSTILE } },
      {
        kind: 'asked',
        name: 'question 1',
        policy: 'wait',
        waitMs: 'unlimited',
        text: HOSTILE,
        options: [HOSTILE, 'b'],
      } as Entry,
    ],
  });
}
