import type { Command } from 'commander';
import { value } from '../flags.ts';
import { later } from '../later.ts';
import { addRunLimits } from '../run-options.ts';
import { addFleetOptions } from './load.ts';
import { RUN } from './looking-commands.ts';

export function addSteeringCommands(fleet: Command): void {
  addPause(fleet, 'pause', 'pause a run; with --all no worker takes anything any more');
  addPause(fleet, 'resume', 'go on with a paused run, or with the whole fleet');
  addFleetOptions(
    fleet
      .command('cancel')
      .description('end a run for good; what was published of it stays')
      .argument('<run>', RUN)
      .option('--note <text>', 'why, for the journal', value),
  ).action(later(async () => (await import('./steering.ts')).cancel));
  addFleetOptions(
    fleet
      .command('answer')
      .description('answer what the agent of a run asks; it is its next instruction')
      .argument('<run>', RUN)
      .argument('<text...>', 'your answer')
      .option('--about <question>', 'the question that it is about, by its number', value),
  ).action(later(async () => (await import('./steering.ts')).answer));
  addVerdict(fleet, 'approve', 'say yes to a question that a run asks you');
  addVerdict(fleet, 'reject', 'say no to a question that a run asks you, and what has to change');
  addFleetOptions(
    addRunLimits(
      fleet
        .command('retry')
        .description('take a dead letter again, or go on with a run that ended without being done')
        .argument('<run>', RUN),
    ),
  ).action(later(async () => (await import('./steering.ts')).retry));
  addFleetOptions(
    fleet
      .command('remove')
      .description('take a dead letter away; its journal and its work stay on the remote')
      .argument('<run>', RUN),
  ).action(later(async () => (await import('./steering.ts')).remove));
  addFleetOptions(
    fleet
      .command('drain')
      .description('let a worker finish what it has, hand it back, and take nothing more')
      .argument('[worker]', 'the worker, by its name')
      .option('--all', 'all workers that are there now', false)
      .option('--undo', 'let it take runs again', false),
  ).action(later(async () => (await import('./steering.ts')).drain));
}

function addPause(fleet: Command, command: 'pause' | 'resume', description: string): void {
  addFleetOptions(
    fleet
      .command(command)
      .description(description)
      .argument('[run]', RUN)
      .option('--all', 'the whole fleet', false),
  ).action(later(async () => (await import('./steering.ts')).pauseOrResume(command)));
}

function addVerdict(fleet: Command, command: 'approve' | 'reject', description: string): void {
  addFleetOptions(
    fleet
      .command(command)
      .description(description)
      .argument('<run>', RUN)
      .argument('[name]', 'the gate that asks (default: the question that the run waits for)')
      .option('--note <text>', 'your words for the journal and the agent', value),
  ).action(later(async () => (await import('./steering.ts')).approveOrReject(command)));
}
