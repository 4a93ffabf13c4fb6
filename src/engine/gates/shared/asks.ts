/** What gates ask of the judging that they are part of. */
import { specsOf } from '../../core/loop/plan-gates.ts';
import type { Utterance } from '../../core/loop/transcript.ts';
import type { Kept } from '../../ports/ports.ts';
import type { Holdout } from '../../ports/rooms.ts';
import type { GateContext } from '../gate.ts';

type Asked = Pick<GateContext, 'request' | 'judges'>;

/** The folder of the project. Commands run there, and paths of the contract are relative to it. */
export function projectOf({ request }: Pick<GateContext, 'request'>): string {
  return request.frozen.project;
}

/** What this gate froze at the loop's start; undefined when it froze nothing. */
export function frozenBy({ request, name }: Pick<GateContext, 'request' | 'name'>): unknown {
  return request.frozen.gates[name];
}

/** What gates of this loop found out before; undefined where nothing is kept. */
export function keptBy({ request, judges }: Asked): Kept | undefined {
  return judges.kept?.(request.outputDir, request.frozen.fingerprint);
}

/** What was measured on trees of this project, in any loop; undefined where nothing is kept. */
export function measuredIn({ request, judges }: Asked): Kept | undefined {
  return judges.measured?.(request.frozen.project, request.frozen.fingerprint);
}

/** The project that is yours: that of a subagent in a worktree of its own is a copy of it. */
export function ownProjectOf({ request }: Pick<GateContext, 'request'>): string {
  return request.worktree?.of ?? request.frozen.project;
}

/** Tests that the agent never sees; undefined where none can be kept. */
export function holdoutFor(asked: Asked): Holdout | undefined {
  return asked.judges.holdout?.(ownProjectOf(asked));
}

/** The end of the conversation, oldest message first; empty without a transcript. */
export function conversationIn({ request, judges }: Asked): readonly Utterance[] {
  const { transcript } = request;
  return transcript === undefined ? [] : (judges.conversation?.(transcript) ?? []);
}

/** Whether a gate of the same judging runs the tests of the start on the code of now. */
export function hasDifferential({ request }: Pick<GateContext, 'request'>): boolean {
  return [...specsOf(request.calls).values()].some(
    (spec) => spec.kind === 'differential' && (spec.options.checks ?? ['old_tests']).includes('old_tests'),
  );
}
