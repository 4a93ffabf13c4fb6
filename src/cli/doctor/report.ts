import { visible } from '../../engine/core/text/visible.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { paint, type Style } from '../../engine/terminal/style.ts';
import type { Mended } from './doctor.ts';
import type { Finding, Looked, Severity } from './finding.ts';

/** What the session with the real Claude Code showed. */
export interface Proof {
  outcome: 'held' | 'not_held' | 'unproven';
  why?: string;
  client?: { version: string };
  ms?: number;
}

export interface Diagnosis {
  version: string;
  project: string;
  looked: Looked;
  mended: readonly Mended[];
  /** Absent when nobody asked for it. */
  proof?: Proof;
}

/** ok: in order, and proven unless nobody asked for it. no: something is wrong. refused: nothing wrong was found, but not proven. */
export function exitCodeOf({ looked, proof }: Diagnosis): number {
  const isWrong = looked.findings.some(({ severity }) => severity === 'error');
  if (isWrong || proof?.outcome === 'not_held') return EXIT.no;
  return proof?.outcome === 'unproven' ? EXIT.refused : EXIT.ok;
}

const WORST_FIRST: readonly Severity[] = ['error', 'warning', 'note'];
const STYLE: Record<Severity, Style> = { error: 'bad', warning: 'open', note: 'quiet' };
const WIDTH = 9;

export function reportLines(diagnosis: Diagnosis): string[] {
  const { looked, mended, version, project } = diagnosis;
  const findings = WORST_FIRST.flatMap((severity) =>
    looked.findings.filter((finding) => finding.severity === severity),
  );
  return [
    `untildone ${version} in ${project}`,
    '',
    ...mended.map(mendedLine),
    ...(mended.length > 0 ? [''] : []),
    ...looked.ok.map((what) => labelled('good', 'ok', what)),
    ...findings.flatMap(findingLines),
    ...proofLines(diagnosis),
    '',
    closing(diagnosis),
  ];
}

function labelled(style: Style, label: string, text: string): string {
  return `${paint(style, label)}${' '.repeat(WIDTH - label.length)}${text}`;
}

function mendedLine({ changed, problem, id }: Mended): string {
  return changed === undefined
    ? labelled('bad', 'NOT DONE', `${id}: ${problem}`)
    : labelled('good', 'mended', changed);
}

function findingLines({ severity, what, where, todo, fix }: Finding): string[] {
  const indent = ' '.repeat(WIDTH);
  const label = severity === 'error' ? 'ERROR' : severity;
  return [
    labelled(STYLE[severity], label, what),
    ...(where ? [`${indent}where: ${where}`] : []),
    `${indent}to do: ${todo}${fix ? ' (untildone doctor --fix does it for you)' : ''}`,
  ];
}

function proofLines({ proof, looked }: Diagnosis): string[] {
  if (!proof) return [];
  const client = proof.client?.version ? `Claude Code ${proof.client.version}` : 'Claude Code';
  if (proof.outcome === 'held')
    return [
      labelled('good', 'PROVEN', `a Stop is held here: ${client} was held, and let go when it was done`),
    ];
  // An error may have been found before, without starting a session.
  const known = looked.findings.some(({ severity }) => severity === 'error');
  const label = proof.outcome === 'not_held' ? 'NOT HELD' : 'unproven';
  const after = known && proof.outcome === 'not_held' ? ' (see the errors above)' : '';
  return [labelled(proof.outcome === 'not_held' ? 'bad' : 'open', label, `${proof.why ?? ''}${after}`)];
}

function closing(diagnosis: Diagnosis): string {
  const { looked, proof } = diagnosis;
  const count = (severity: Severity) => looked.findings.filter((each) => each.severity === severity).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const fixable = looked.findings.filter(({ fix }) => fix !== undefined).length;
  const hint = fixable > 0 ? ` ${fixable} of the findings can be mended by: untildone doctor --fix` : '';
  const also = warnings === 0 ? '' : `, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
  if (errors > 0) return `${paint('bad', `${errors} ${errors === 1 ? 'error' : 'errors'}${also}.`)}${hint}`;
  if (proof?.outcome === 'not_held') return paint('bad', `A Stop is NOT held here${also}.`) + hint;
  if (proof?.outcome === 'unproven')
    return `${paint('open', `No errors${also}. Whether a Stop is held here was not proven.`)}${hint}`;
  if (!proof) return `${paint('good', `No errors${also}.`)} Nothing was proven: untildone doctor${hint}`;
  return `${paint('good', `Healthy${also}: a session that begins here is held.`)}${hint}`;
}

/** docs/guides/doctor.md describes it. Fields are added, never changed. */
export function reportJson(diagnosis: Diagnosis): object {
  const { looked, mended, proof, version, project } = diagnosis;
  return {
    version,
    project,
    healthy: exitCodeOf(diagnosis) === EXIT.ok,
    exit_code: exitCodeOf(diagnosis),
    ok: looked.ok.map(visible),
    findings: looked.findings.map(({ id, severity, what, where, todo, fix }) => ({
      id,
      severity,
      what: visible(what),
      where: where ? visible(where) : null,
      todo: visible(todo),
      fixable: fix !== undefined,
    })),
    mended: mended.map(({ id, changed, problem }) => ({
      id,
      changed: changed ?? null,
      problem: problem ?? null,
    })),
    proof: proof
      ? {
          outcome: proof.outcome,
          why: proof.why ?? null,
          client_version: proof.client?.version ?? null,
          ms: proof.ms ?? null,
        }
      : null,
  };
}
