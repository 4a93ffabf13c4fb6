import { EXIT } from '../../core/words/exit-codes.ts';
import { createHome, projectFolder } from '../../home/layout.ts';
import { loadJudgeBundle } from '../../hook/wiring/load-bundles.ts';
import type { World } from '../../hook/wiring/world.ts';
import {
  askForProposal,
  DEFAULT_COST_USD,
  type DeepAnswer,
  type KeptProposal,
  keepProposal,
  patchOf,
} from '../../reflect/deep/deep.ts';
import { weakenedGates } from '../../reflect/deep/proposal.ts';
import { interruptible } from '../../terminal/interruption.ts';
import { warn } from '../../terminal/print.ts';
import { paint } from '../../terminal/style.ts';

export interface DeepOptions {
  /** In US dollars. */
  maxCost?: number;
  model?: string;
}

export interface Deep {
  exitCode: number;
  lines: string[];
  /** For programs. */
  json: Record<string, unknown>;
}

/** Asks a model what to change after a reflection. Shows and keeps what it proposes; applies nothing. */
export async function lookDeeper(digest: unknown, options: DeepOptions, world: World): Promise<Deep> {
  const { maxCost: maxCostUsd = DEFAULT_COST_USD, model } = options;
  warn(`untildone: asking a model for a proposal, for at most ${maxCostUsd} USD`);
  const { openJudges } = await loadJudgeBundle();
  const { agent } = await openJudges(world.home, world.env, { endWithSignals: false });
  const { result: answer, exitCode } = await interruptible((signal) =>
    askForProposal({ digest, project: world.project, maxCostUsd, model, signal }, agent),
  );
  const cost = `It cost ${answer.costUsd.toFixed(4)} USD, of at most ${maxCostUsd}.`;
  const shared = { result: answer.kind, cost_usd: answer.costUsd, max_cost_usd: maxCostUsd };
  if (answer.kind !== 'proposed') {
    const isFine = answer.kind === 'nothing';
    const said = isFine ? answer.summary : answer.problem;
    return {
      exitCode: exitCode ?? (isFine ? EXIT.ok : EXIT.refused),
      lines: [`${NO_PROPOSAL[answer.kind]}: ${said}`, cost],
      json: { ...shared, [isFine ? 'summary' : 'problem']: said },
    };
  }
  createHome(world.home);
  const kept = keepProposal(answer.changes, projectFolder(world.home, world.project), world.clock.now());
  const weakened = weakenedGates(answer.changes);
  const changes = answer.changes.map(({ file, why, after }) => ({ file, why, after }));
  const files = {
    patch: patchOf(answer.changes),
    patch_file: kept.patch,
    contract_file: kept.contract ?? null,
  };
  return {
    exitCode: EXIT.ok,
    lines: [...proposalLines(answer, kept, weakened), cost],
    json: { ...shared, summary: answer.summary, changes, weakened, ...files },
  };
}

const NO_PROPOSAL = {
  nothing: 'The model proposes nothing',
  unusable: 'The proposal of the model cannot be used, and nothing is kept of it',
  no_answer: 'There is no proposal',
};

function proposalLines(
  { summary, changes }: Extract<DeepAnswer, { kind: 'proposed' }>,
  { patch, contract }: KeptProposal,
  weakened: readonly string[],
): string[] {
  return [
    `A model proposes this. Nothing was changed; read it before you apply it. ${summary}`,
    ...changes.map(({ file, why }) => `  ${file}: ${why}`),
    ...patchOf(changes).map(coloured),
    ...weakened.map((what) => `${paint('bad', 'Look closely:')} ${what}.`),
    ...(contract === undefined
      ? []
      : [`Try it on earlier loops first: untildone replay --contract ${contract}`]),
    `Apply it in the project: git apply ${patch}`,
  ];
}

function coloured(line: string): string {
  if (line.startsWith('+')) return paint('good', line);
  return line.startsWith('-') ? paint('bad', line) : line;
}
