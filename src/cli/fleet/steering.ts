import type { Command } from 'commander';
import { UsageError } from '../../core/text/errors.ts';
import { jsonLines } from '../../core/text/visible.ts';
import type { Steered } from '../../fleet/operate/steer.ts';
import { homeFrom } from '../../home/layout.ts';
import { refuseInsideClient } from '../../hook/start/person.ts';
import { out } from '../../terminal/print.ts';
import { value } from '../flags.ts';
import { addRunLimits, type LimitFlags, limitChanges } from '../run-options.ts';
import { addFleetOptions, type FleetFlags, withFleet } from './load.ts';
import { RUN } from './looking.ts';

interface SteerFlags extends FleetFlags {
  all?: boolean;
  note?: string;
  about?: string;
  undo?: boolean;
}

export function addSteeringCommands(fleet: Command): void {
  addPause(fleet, 'pause', 'pause a run; with --all no worker takes anything any more');
  addPause(fleet, 'resume', 'go on with a paused run, or with the whole fleet');
  addFleetOptions(
    fleet
      .command('cancel')
      .description('end a run for good; what was published of it stays')
      .argument('<run>', RUN)
      .option('--note <text>', 'why, for the journal', value),
  ).action((run: string, flags: SteerFlags) =>
    steer('cancel', flags, (open, { cancelRun }) => cancelRun(run, flags.note, open)),
  );
  addFleetOptions(
    fleet
      .command('answer')
      .description('answer what the agent of a run asks; it is its next instruction')
      .argument('<run>', RUN)
      .argument('<text...>', 'your answer')
      .option('--about <question>', 'the question that it is about, by its number', value),
  ).action(async (run: string, words: string[], flags: SteerFlags) => {
    const text = words.join(' ').trim();
    if (text === '') throw new UsageError('the answer is empty; type what the agent is to do');
    const said = { text, ...(flags.about === undefined ? {} : { about: flags.about }) };
    await steer('answer', flags, (open, { askOfRun }) => askOfRun(run, 'answer', said, open));
  });
  addVerdict(fleet, 'approve', 'say yes to a question that a run asks you');
  addVerdict(fleet, 'reject', 'say no to a question that a run asks you, and what has to change');
  addFleetOptions(
    addRunLimits(
      fleet
        .command('retry')
        .description('take a dead letter again, or go on with a run that ended without being done')
        .argument('<run>', RUN),
    ),
  ).action((run: string, flags: SteerFlags & LimitFlags) =>
    steer('retry', flags, (open, { retryRun }) => retryRun(run, limitChanges(flags), open)),
  );
  addFleetOptions(
    fleet
      .command('remove')
      .description('take a dead letter away; its journal and its work stay on the remote')
      .argument('<run>', RUN),
  ).action((run: string, flags: SteerFlags) =>
    steer('remove', flags, (open, { removeDead }) => removeDead(run, open)),
  );
  addFleetOptions(
    fleet
      .command('drain')
      .description('let a worker finish what it has, hand it back, and take nothing more')
      .argument('[worker]', 'the worker, by its name')
      .option('--all', 'all workers that are there now', false)
      .option('--undo', 'let it take runs again', false),
  ).action(drain);
}

type Bundle = Parameters<Parameters<typeof withFleet>[1]>[1];
type Open = Parameters<Parameters<typeof withFleet>[1]>[0];

async function steer(
  command: string,
  flags: FleetFlags,
  work: (fleet: Open, bundle: Bundle) => Promise<Steered>,
): Promise<void> {
  refuseInsideClient(`fleet ${command}`, homeFrom(process.env), process.env);
  await withFleet(
    flags,
    async (fleet, bundle) => {
      const steered = await work(fleet, bundle);
      for (const line of flags.json ? jsonLines(steered) : [steered.text]) out(line);
    },
    { makes: 'here' },
  );
}

function addPause(fleet: Command, command: 'pause' | 'resume', description: string): void {
  addFleetOptions(
    fleet
      .command(command)
      .description(description)
      .argument('[run]', RUN)
      .option('--all', 'the whole fleet', false),
  ).action(async (run: string | undefined, flags: SteerFlags) => {
    if ((run === undefined) !== (flags.all === true))
      throw new UsageError(`name a run, or the whole fleet with --all: untildone fleet ${command} RUN`);
    await steer(command, flags, async (open, { askOfRun }) => {
      if (run !== undefined) return askOfRun(run, command, {}, open);
      await open.engine.ready();
      await open.engine.pause(command === 'pause');
      const text =
        command === 'pause'
          ? 'The fleet is paused: runs that are being worked on go on, and nothing new is taken. Go on: untildone fleet resume --all'
          : 'The fleet goes on.';
      return { run: '*', did: 'asked', text };
    });
  });
}

function addVerdict(fleet: Command, command: 'approve' | 'reject', description: string): void {
  addFleetOptions(
    fleet
      .command(command)
      .description(description)
      .argument('<run>', RUN)
      .argument('[name]', 'the gate that asks (default: the question that the run waits for)')
      .option('--note <text>', 'your words for the journal and the agent', value),
  ).action((run: string, name: string | undefined, flags: SteerFlags) =>
    steer(command, flags, (open, { askOfRun }) => {
      const said = {
        ...(name === undefined ? {} : { about: name }),
        ...(flags.note === undefined ? {} : { text: flags.note }),
      };
      return askOfRun(run, command, said, open);
    }),
  );
}

async function drain(name: string | undefined, flags: SteerFlags): Promise<void> {
  refuseInsideClient('fleet drain', homeFrom(process.env), process.env);
  if ((name === undefined) !== (flags.all === true))
    throw new UsageError('name a worker, or all of them with --all: untildone fleet drain WORKER');
  await withFleet(
    flags,
    async (fleet, { drainWorkers }) => {
      const drained = await drainWorkers(name, flags.undo !== true, fleet);
      if (flags.json)
        for (const line of jsonLines({ workers: drained, draining: flags.undo !== true })) out(line);
      else
        for (const each of drained)
          out(
            flags.undo
              ? `${each} takes runs again.`
              : `${each} finishes its iterations, hands its runs back, and takes nothing more.`,
          );
      if (drained.length === 0 && !flags.json) out('There is no worker.');
    },
    { makes: 'here' },
  );
}
