/** What `untildone setup` says. */
import { CONTRACT_FILE } from '../../engine/core/contract/contract.ts';
import { paint, VERDICT_STYLES } from '../../engine/terminal/style.ts';
import { TRIAL_MS, type TriedGate } from './gates-now.ts';
import type { SetupPlan } from './plan.ts';
import type { HoldProof } from './prove.ts';

export function planLines(plan: SetupPlan): string[] {
  const { project, notes, hasContract, view } = plan;
  return [
    `${paint('bold', 'Project:')} ${project}`,
    ...notes.map((note) => `${paint('open', 'Note:')} ${note}`),
    ...(hasContract
      ? [`${paint('bold', `${CONTRACT_FILE}:`)} is here, and is used as it is.`]
      : [
          `${paint('bold', `${CONTRACT_FILE}:`)} is not here yet. This one is proposed:`,
          ...view.file.text
            .trimEnd()
            .split('\n')
            .map((line) => (line === '' ? '' : `  ${line}`)),
        ]),
    ...(hasContract && view.isTrusted
      ? ['What it runs is trusted already.', `Fingerprint: ${view.fingerprint}`]
      : view.lines),
    ...hookLines(plan),
  ];
}

const NAME_WIDTH = 24;
const EVIDENCE_LINES = 3;

export function gateLines(gates: readonly TriedGate[]): string[] {
  const width = Math.min(NAME_WIDTH, Math.max(0, ...gates.map(({ name }) => name.length)));
  return gates.flatMap(({ name, outcome, summary, evidence, ms }) => {
    const verdict = outcome
      ? paint(VERDICT_STYLES[outcome], outcome.padEnd(8))
      : paint('quiet', '-'.padEnd(8));
    const lines = [`  ${verdict} ${name.padEnd(width)} ${timeWords(outcome, ms).padStart(8)}  ${summary}`];
    const isOpen = outcome === 'fail' || outcome === 'unproven';
    return [
      ...lines,
      ...(isOpen ? evidence.slice(0, EVIDENCE_LINES).map((line) => `             ${line}`) : []),
    ];
  });
}

function timeWords(outcome: TriedGate['outcome'], ms: number | undefined): string {
  if (outcome === undefined) return '';
  return ms === undefined ? `> ${TRIAL_MS / 1000} s` : `${(ms / 1000).toFixed(1)} s`;
}

function hookLines({ hooks: { path, areThere, warnings } }: SetupPlan): string[] {
  return [
    areThere
      ? `The hooks are in ${path} already.`
      : `The hooks will be added to ${path}. Every line of them: untildone install --dry-run`,
    ...warnings,
  ];
}

export function proofLine(proof: HoldProof): string {
  const version = proof.client?.version ? ` ${proof.client.version}` : '';
  switch (proof.outcome) {
    case 'held':
      return `${paint('good', 'Proven:')} Claude Code${version} was held at a Stop here, and let go when it was done (${(proof.ms / 1000).toFixed(1)} s, offline, without your account).`;
    case 'not_held':
      return `${paint('bad', 'NOT HELD:')} Claude Code${version} was not held at a Stop here: ${proof.why}.`;
    case 'unproven':
      return `${paint('open', 'Not proven:')} ${proof.why}.`;
  }
}
