/** What `untildone setup` says. */
import { CONTRACT_FILE, type Contract, type KnownFailure } from '../../engine/core/contract/contract.ts';
import { paint } from '../../engine/terminal/style.ts';
import type { RedBefore } from './findings.ts';
import { type FirstRun, NOT_JUDGED, type TriedGate } from './gates-now.ts';
import type { SetupPlan } from './plan.ts';
import type { HoldProof } from './prove.ts';
import type { SetupFlags } from './setup-flags.ts';

/** Where it is set up, and what to know about that place. */
export function placeLines({ project, notes, hasContract, view }: SetupPlan): string[] {
  return [
    `${paint('bold', 'Project:')} ${project}`,
    ...notes.map((note) => `${paint('open', 'Note:')} ${note}`),
    ...(hasContract ? [`${paint('bold', `${CONTRACT_FILE}:`)} is here, and is used as it is.`] : []),
    ...(hasContract && view.isTrusted ? ['What it runs is trusted already.'] : []),
  ];
}

/** What you are asked to agree to. `trial`: what its gates showed; absent: they are run when you have agreed. */
export function planLines(
  plan: SetupPlan,
  trial: FirstRun | undefined,
  { show, gates }: Pick<SetupFlags, 'show' | 'gates'>,
): string[] {
  const { hasContract, view } = plan;
  const { contract, text } = view.file;
  const isShort = !show && !hasContract && (trial?.gates.length ?? 0) > 0;
  return [
    ...(hasContract ? [] : proposalLines(contract, show || !isShort ? text : undefined)),
    ...(trial ? openLines(contract, trial) : []),
    ...(hasContract && view.isTrusted && !show
      ? [`Fingerprint: ${view.fingerprint}`]
      : isShort
        ? view.lines.slice(-1)
        : view.lines),
    ...hookLines(plan),
    ...(trial === undefined && gates ? ['Its gates are run once when you have agreed.'] : []),
  ];
}

function proposalLines(contract: Contract, text: string | undefined): string[] {
  const head = paint('bold', `${CONTRACT_FILE}:`);
  if (text === undefined)
    return [
      `${head} is not here yet. Proposed: done when ${contract.done.join(', ')} pass. All of it: --show`,
    ];
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`));
  return [`${head} is not here yet. This one is proposed:`, ...lines];
}

/** What is not green: a proof that a Stop is held says nothing of it. */
export function openLines(contract: Contract, { gates, leftOut = {} }: FirstRun): string[] {
  const known = contract.knownFailures ?? [];
  const knownHere = [...new Set(known.map(({ gate }) => gate))];
  const open = gates.filter(
    ({ name, outcome }) =>
      contract.gates[name] !== undefined &&
      (outcome === 'fail' || outcome === 'unproven') &&
      !knownHere.includes(name),
  );
  const waiting = gates.filter(({ summary }) => summary === NOT_JUDGED);
  return [
    ...(open.length === 0
      ? []
      : [`${paint('bad', 'Not green now:')} ${namesOf(open)}. A Stop is held until they pass.`]),
    ...(known.length === 0
      ? []
      : [
          `${paint('open', 'Known failures:')} ${knownHere.map((gate) => countIn(gate, known)).join(', ')}. They hold nobody until they have passed once.`,
        ]),
    ...leftOutLines(leftOut),
    ...(waiting.length === 0 ? [] : [`${paint('open', 'Not judged yet:')} ${namesOf(waiting)}`]),
  ];
}

/** One line for each reason. */
function leftOutLines(leftOut: Readonly<Record<string, string>>): string[] {
  const reasons = [...new Set(Object.values(leftOut))];
  return reasons.map((why) => {
    const names = Object.keys(leftOut).filter((name) => leftOut[name] === why);
    return `${paint('open', 'Left out:')} ${names.join(', ')}: ${why}`;
  });
}

function namesOf(gates: readonly TriedGate[]): string {
  return gates.map(({ name }) => name).join(', ');
}

function countIn(gate: string, known: readonly KnownFailure[]): string {
  const tests = known.filter((one) => one.gate === gate && one.test !== undefined).length;
  return tests === 0 ? gate : `${tests} ${tests === 1 ? 'test' : 'tests'} of ${gate}`;
}

const MOST_RED = 10;

/** What fails before any work, for the question whether mending it is the work. */
export function redLines(red: readonly RedBefore[]): string[] {
  return red.flatMap(({ gate, tests }) => [
    `${paint('open', 'Fails before any work:')} ${tests.length === 0 ? gate : `${gate}, in ${tests.length === 1 ? 'one test' : `${tests.length} tests`}`}`,
    ...tests.slice(0, MOST_RED).map((test) => `  ${test}`),
    ...(tests.length > MOST_RED ? [`  and ${tests.length - MOST_RED} more`] : []),
  ]);
}

/** Why rooms are not as clean as they could be. */
export function notClean(why: string): string {
  return `There is no clean installation here: ${why}`;
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
