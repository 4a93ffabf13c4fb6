import type { Outcome, Verdict } from '../loop/verdict.ts';
import { pathInProject, placeIn } from './places.ts';

/** What a judging found, each thing with a place in a file: for annotations, SARIF and the like. */
export interface Finding {
  gate: string;
  kind: string;
  level: 'error' | 'warning';
  /** In the repository, with slashes. */
  path: string;
  line?: number;
  column?: number;
  text: string;
  /** The finding is the gate itself; its place is where the contract names it. */
  isGate: boolean;
}

export interface Where {
  /** The folder of the project. */
  project: string;
  /** The project's folder in its repository, with a slash behind it; empty at the top. */
  prefix: string;
  isFile(path: string): boolean;
  /** Where the contract is, and where it names a gate. */
  contract: { path: string; lineOf(gate: string): number };
}

/** So many places of one gate are named. GitHub shows no more of a step. */
const MOST_PLACES = 10;

/** Every gate that is open, then the places that their evidence names, then what others noted although they hold nobody. */
export function findingsOf(verdicts: readonly Verdict[], where: Where): Finding[] {
  const open = verdicts.flatMap(openLeaves);
  return [
    ...open.map((verdict) => gateFinding(verdict, where)),
    ...open.flatMap((v) => placesOf(v, where)),
    ...verdicts.flatMap(withNotes).flatMap((v) => notesOf(v, where)),
  ];
}

/** Gates that pass, and that have something to say all the same. */
export function withNotes(verdict: Verdict): Verdict[] {
  const inside = (verdict.children ?? []).flatMap(withNotes);
  const hasOwn =
    verdict.outcome === 'pass' && [...(verdict.notes ?? []), ...(verdict.exceptions ?? [])].length > 0;
  return hasOwn ? [verdict, ...inside] : inside;
}

function notesOf(
  { gate, kind, notes = [], exceptions = [] }: Verdict,
  { project, prefix, isFile, contract }: Where,
): Finding[] {
  const said = [...exceptions.map((text) => `allowed by a person: ${text}`), ...notes];
  return said.slice(0, MOST_PLACES).map((text): Finding => {
    const place = placeIn(text.replace(/^allowed by a person: /, ''));
    const path = place && pathInProject(place, project, isFile);
    const found = { gate, kind, level: 'warning', text, isGate: false } as const;
    return path === undefined
      ? { ...found, path: contract.path, line: contract.lineOf(gate) }
      : { ...found, path: `${prefix}${path}`, line: place?.line };
  });
}

export function isOpen(outcome: Outcome): boolean {
  return outcome === 'fail' || outcome === 'unproven';
}

/** Of a gate that is made of others, those that are open. */
function openLeaves(verdict: Verdict): Verdict[] {
  if (!isOpen(verdict.outcome)) return [];
  const inside = (verdict.children ?? []).flatMap(openLeaves);
  return inside.length > 0 ? inside : [verdict];
}

function gateFinding(verdict: Verdict, { contract }: Where): Finding {
  return {
    ...about(verdict),
    path: contract.path,
    line: contract.lineOf(verdict.gate),
    text: [verdict.summary, ...(verdict.evidence ?? [])].join('\n'),
    isGate: true,
  };
}

function about({ gate, kind, outcome }: Verdict): Pick<Finding, 'gate' | 'kind' | 'level'> {
  return { gate, kind, level: outcome === 'fail' ? 'error' : 'warning' };
}

function placesOf(verdict: Verdict, { project, prefix, isFile }: Where): Finding[] {
  const found = new Map<string, Finding>();
  let said = verdict.summary;
  for (const line of verdict.evidence ?? []) {
    const place = placeIn(line);
    const path = place && pathInProject(place, project, isFile);
    if (!place || path === undefined) {
      if (line.trim() !== '') said = line.trim();
      continue;
    }
    const { line: row, column } = place;
    const text = place.text || said;
    const finding = { ...about(verdict), path: `${prefix}${path}`, line: row, column, text, isGate: false };
    const key = `${path}:${row}:${text}`;
    if (!found.has(key)) found.set(key, finding);
    if (found.size >= MOST_PLACES) break;
  }
  return [...found.values()];
}
