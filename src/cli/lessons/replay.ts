import { readContract } from '../../contract/read.ts';
import { oneLine } from '../../core/text/clip.ts';
import { UsageError } from '../../core/text/errors.ts';
import { dateOf } from '../../core/text/moment.ts';
import { jsonLines } from '../../core/text/visible.ts';
import { EXIT } from '../../core/words/exit-codes.ts';
import type { Home } from '../../home/layout.ts';
import { newestLoop, readLoops } from '../../hook/start/find-loop.ts';
import { refuseInsideClient } from '../../hook/start/person.ts';
import { loadJudgeBundle } from '../../hook/wiring/load-bundles.ts';
import { openWorld, type World } from '../../hook/wiring/world.ts';
import { judgeable } from '../../reflect/replay/judgeable.ts';
import { pastLoop } from '../../reflect/replay/past.ts';
import { type ReplayedLoop, type ReplayedStop, replayLoops } from '../../reflect/replay/replay.ts';
import { interruptible } from '../../terminal/interruption.ts';
import { confirm, onTerminal, out, warn } from '../../terminal/print.ts';
import { paint } from '../../terminal/style.ts';
import { viewContract } from '../contract/trust.ts';

export interface ReplayOptions {
  contract: string;
  since?: number;
  loop?: string;
  last: number;
  most: number;
  prepare?: string;
  models: boolean;
  fingerprint?: string;
  json: boolean;
}

/** `untildone replay`. */
export async function replayHere(options: ReplayOptions): Promise<void> {
  process.exitCode = await replay(options, openWorld());
}

export async function replay(options: ReplayOptions, world: World): Promise<number> {
  const file = readContract(world.project, options.contract);
  if (!file) throw new UsageError(`there is no contract ${options.contract}`);
  const { names, unjudged } = judgeable(file.contract, options.models);
  if (names.length === 0)
    throw new UsageError(
      `no gate of ${options.contract} can be judged on a tree: ${unjudged.map(({ name, reason }) => `${name}: ${reason}`).join('; ')}`,
    );
  const loops = await loopsToReplay(options, world);
  if (!(await mayRun(options, world))) return EXIT.no;
  const { openJudges } = await loadJudgeBundle();
  const judgesIn = (home: Home) => openJudges(home, world.env, { endWithSignals: false });
  const setup = file.contract.run?.setup?.run ?? [];
  const { result, exitCode } = await interruptible(async (signal) =>
    replayLoops(
      loops,
      {
        contract: file.contract,
        gates: names,
        unjudged,
        prepare: options.prepare === undefined ? setup : [options.prepare],
        most: options.most,
        signal,
        progress: (loop, iteration, number) =>
          warn(`untildone: judging tree ${number}: loop ${loop}, iteration ${iteration}`),
      },
      {
        judges: await judgesIn(world.home),
        judgesIn,
      },
    ),
  );
  const report = { contract: options.contract, ...result, unjudged, interrupted: exitCode !== undefined };
  const lines = options.json ? jsonLines(report) : reportLines(report, world.clock.now());
  for (const line of lines) out(line);
  if (exitCode !== undefined) return exitCode;
  return result.loops.some(({ stops }) => stops.some(({ says }) => says !== null)) ? EXIT.ok : EXIT.refused;
}

async function loopsToReplay({ loop, since, last }: ReplayOptions, world: World) {
  const { store, project, home, clock } = world;
  const from = since === undefined ? 0 : clock.now() - since;
  const found =
    loop === undefined
      ? readLoops(store, store.loops(project))
          .filter((one) => 'state' in one && one.state.startedAt >= from)
          .slice(0, last)
          .map(({ ref }) => ref)
      : [newestLoop(store, project, loop)];
  const loops = [];
  for (const ref of found) loops.push(await pastLoop(ref, store, home));
  const judged = loops.filter(({ stops }) => stops.length > 0);
  if (judged.length === 0)
    throw new UsageError('no loop of this project was judged in that time; see: untildone status --ended');
  return judged;
}

/** The commands of a contract run only when you trust it, or agree now. Nothing is remembered. */
async function mayRun({ contract, fingerprint, json }: ReplayOptions, world: World): Promise<boolean> {
  const file = readContract(world.project, contract);
  if (!file) throw new UsageError(`there is no contract ${contract}`);
  const view = await viewContract(file, world);
  if (view.isTrusted) return true;
  refuseInsideClient('replay of a contract that is not trusted', world.home, world.env);
  if (fingerprint === view.fingerprint) return true;
  for (const line of view.lines) json ? warn(line) : out(line);
  if (fingerprint !== undefined)
    throw new UsageError(`the fingerprint is ${view.fingerprint}, not ${fingerprint}: look at it again`);
  if (!onTerminal())
    throw new UsageError(
      `${contract} is not trusted, and there is no terminal to ask you on; look at the lines above, then: --fingerprint ${view.fingerprint}`,
    );
  return confirm('Run these commands on copies of earlier trees?');
}

interface Report {
  contract: string;
  loops: ReplayedLoop[];
  judged: number;
  left: number;
  unjudged: ReturnType<typeof judgeable>['unjudged'];
  interrupted: boolean;
}

function reportLines(report: Report, now: number): string[] {
  const stops = report.loops.flatMap((loop) => loop.stops);
  const differing = stops.filter(({ differs }) => differs).length;
  const unknown = stops.filter(({ says }) => says === null).length;
  const isUnsure = stops.some(({ differences }) => differences.some((one) => one.same_gate));
  return [
    ...report.loops.flatMap((loop) => loopLines(loop, now)),
    ...report.unjudged.map(({ name, reason }) => `Not judged: ${name}: ${reason}.`),
    `${report.contract}: another conclusion at ${differing} of ${stops.length} Stops; ${report.judged} ${report.judged === 1 ? 'tree was' : 'trees were'} judged${
      unknown === 0 ? '' : `, ${unknown} Stops could not be`
    }.`,
    ...(isUnsure
      ? [
          'A gate that is the same in both contracts says something else on a copy: files that git ignores are not there. Try --prepare, for example --prepare "npm ci".',
        ]
      : []),
    ...(report.interrupted ? ['Interrupted: the rest was not judged.'] : []),
  ];
}

function loopLines({ loop, started_at, status, task, stops }: ReplayedLoop, now: number): string[] {
  const head = `${loop}  ${dateOf(Date.parse(started_at), now)}  ${status}  ${oneLine(task, 60)}`;
  return [paint('bold', head), ...stops.flatMap(stopLines)];
}

function stopLines({ iteration, said, says, problem, differs, differences }: ReplayedStop): string[] {
  const before = `${said.done ? 'done' : 'not done'} (${said.decision})`;
  if (!says) return [`  ${iteration}  then ${before}; now not judged: ${problem}`];
  const after = says.done ? 'done' : 'not done';
  const mark = differs ? paint('open', 'DIFFERS') : 'same';
  return [
    `  ${iteration}  ${mark}  then ${before}; now ${after}`,
    ...differences.map(
      (one) =>
        `       ${one.name}: then ${one.said}, now ${one.says}${one.same_gate ? ' (the gate is the same)' : ''}: ${one.summary}`,
    ),
  ];
}
