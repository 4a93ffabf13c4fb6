import { basename } from 'node:path';
import { blocks } from '../../core/loop/verdict.ts';
import { oneLine } from '../../core/text/clip.ts';
import { verdictsOf } from '../../formats/verified-done/judge.ts';
import { readObject } from '../../formats/verified-done/read-object.ts';
import { type RalphState, readState } from '../../formats/verified-done/read-state.ts';
import { jsonFiles } from '../../formats/verified-done/tasks.ts';
import { sentences } from '../../formats/verified-done/words.ts';
import { foreignFiles } from '../../project/files.ts';
import { folderOf, type StateWorld } from './state.ts';

/** What the state files of a session say, and what they hold it on; git and the contract are not looked at. */
export function stateShow(session: string, options: { json: boolean }, world: StateWorld): void {
  const folder = folderOf(session, world.env);
  const read = readState(folder, session, foreignFiles);
  if (options.json) {
    const problems =
      read.kind === 'unusable' ? [read.problem] : read.kind === 'state' ? read.state.notes : [];
    const holding = read.kind === 'state' ? verdictsOf(read.state).filter(blocks) : [];
    const holds = holding.map(({ gate, summary }) => ({ name: gate, summary }));
    world.out(JSON.stringify({ session, folder, ...asTheyAre(folder), holds, problems }, null, 2));
    return;
  }
  if (read.kind === 'none') world.out(`Session ${session} has no state in ${folder}`);
  if (read.kind === 'unusable') world.out(`${read.problem}. Nobody is held by it.`);
  if (read.kind === 'state') for (const line of inWords(read.state)) world.out(line);
}

function asTheyAre(folder: string): Record<string, unknown> {
  const at = (path: string) => {
    const read = readObject(path, foreignFiles);
    return read.kind === 'object' ? read.fields : null;
  };
  const tasks = jsonFiles(`${folder}/tasks`, foreignFiles).paths;
  return {
    orchestrator: at(`${folder}/orchestrator.json`),
    loop: at(`${folder}/loop.json`),
    quality_gate: at(`${folder}/quality-gate.json`),
    tasks: tasks.map((path) => ({ file: basename(path), ...at(path) })),
  };
}

function inWords(state: RalphState): string[] {
  const { folder, orchestrator, loop, qualityGate, tasks, notes } = state;
  const verdicts = verdictsOf(state);
  const holding = verdicts.filter(blocks);
  return [
    `Session ${state.session}: ${folder}`,
    ...(orchestrator ? [`orchestrator.json: ${oneLine(orchestrator.task, 200) || 'no task'}`] : []),
    ...(orchestrator ? [`  phase '${orchestrator.phase}', verified_done ${orchestrator.verified}`] : []),
    ...(orchestrator?.conditions.known ?? []).map(({ name, summary }) => `  ${name}: ${summary}`),
    ...(loop ? [`loop.json: ${oneLine(loop.task, 200) || 'no task'}`] : []),
    ...(loop
      ? [`  iteration ${loop.iteration ?? 0} of ${loop.maxIterations}, verified_done ${loop.verified}`]
      : []),
    ...(qualityGate ? [`quality-gate.json: ${qualityGate.lastResult}`] : []),
    ...(qualityGate?.stages ?? []).map(
      ({ name, status, details }) => `  ${name}: ${status}${details ? ` - ${details}` : ''}`,
    ),
    ...(tasks ? [`tasks: ${tasks.open.length} of ${tasks.total} open`] : []),
    ...(tasks?.open ?? []).slice(0, 20).map(({ id, status, subject }) => `  [${status}] ${id}: ${subject}`),
    ...notes.map((note) => `Note: ${note}`),
    holding.length === 0 ? 'These files hold nobody.' : `Holds the session: ${sentences(verdicts)}`,
  ];
}
