import type { HookEvent } from '../loop/event.ts';
import type { EvidenceClass } from '../loop/verdict.ts';
import type { GateKind, GateOptions } from './gate-options.ts';

/**
 * Everything that the rest of the code may ask about a kind of gate without judging it. Each kind says it in
 * `gates/<kind>/traits.ts`; a trait that is absent does not hold. Pure: no clock, no disk, no environment.
 */
export interface GateTraits<Kind extends GateKind = GateKind> {
  kind: Kind;
  /** What a pass is worth as evidence; the verdict may say another class. */
  class: EvidenceClass;
  /** Judged by the event alone: no tree is needed, and no time limit. */
  instant?: true;
  /**
   * The agent's word and nothing else. Such a gate needs no trust, is judged by the final message alone, and cannot pass
   * without a session.
   */
  isWord?: true;
  /** What the gate is about. Absent: the work itself, which a run commits when more of it passes. */
  about?: GateSubject;
  /** What it asks a model, for you to trust. Asking costs money and may run commands, so models are asked last. */
  modelQuestion?(options: GateOptions[Kind]): ModelQuestion | undefined;
  /** Costs many runs: judged after all others but models, and only if all of them may pass. */
  late?: true;
  /** Only your answer makes it pass. It is allowed only at the Stop of a loop, because a loop can wait. */
  asksPerson?: true;
  /** May ask you about what it found. You answer by the name of the gate. */
  mayAsk?: true;
  /** Looks at the text of a prompt or a task: at a Stop there is none. */
  readsText?: true;
  /** Says something only in a session: without one it is left out or skips. */
  needsSession?: true;
  /** Left out when a loop starts: it costs money or time, answers an event, or can only be true later. */
  notInBaseline?: true;
  /** Whether a child of a run has to pass it. Absent: when it passes at the start of the child. */
  ofPiece?: 'always' | 'when_pushed' | 'never';
  /** Whether a verdict holds as long as tree, task and options stay the same. Absent: it never does. */
  isReusable?(options: GateOptions[Kind], event: HookEvent['name'] | undefined): boolean;
  /** Can look at some files alone, such as those that one subagent changed. */
  looksByFile?: true;
  /** The outcome that says nothing where no file was changed: it becomes `skip` in `untildone verify`. */
  emptyOutcome?: 'pass' | 'fail';
  /** Its failure says that a test or a check was weakened, and not that work is missing. */
  findsCheats?: true;
  /** Opens clean rooms by itself, whatever the contract says of rooms. */
  opensRooms?: true;
  /** What it froze at the start of a loop stays when you replace the loop's contract. */
  keepsFrozen?: true;
  /** How long it may take: it waits for others, or runs its command many times. */
  waitMs?(options: GateOptions[Kind]): number;
  /** The proven command as one shell line that does the same anywhere. Absent: it cannot be run again by itself. */
  commandAnywhere?(options: GateOptions[Kind], proven: string): string;
  /** Tells the agent what makes it pass; `parts`: the same for the gates that it is made of. */
  passesWhen?(options: GateOptions[Kind], parts: readonly string[]): string;
}

/** `commits` and `service` can pass only once the work is committed; `service` runs its checks on what was pushed. */
export type GateSubject = 'commits' | 'service' | 'session';

export interface ModelQuestion {
  text: string;
  maxCostUsd: number | undefined;
}

/** Finds the traits of a kind; one that this version does not know has none. */
export type TraitsOf = (kind: string) => GateTraits;
