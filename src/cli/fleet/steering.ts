import { UsageError } from '../../engine/core/text/errors.ts';
import { jsonLines } from '../../engine/core/text/visible.ts';
import { homeFrom } from '../../engine/home/layout.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { out } from '../../engine/terminal/print.ts';
import type { Steered } from '../../fleet/operate/steer.ts';
import { choicesFrom } from '../run-options.ts';
import { type FleetFlags, withFleet } from './load.ts';

interface SteerFlags extends FleetFlags {
  all?: boolean;
  note?: string;
  about?: string;
  undo?: boolean;
}

/** `untildone fleet cancel`. */
export function cancel(run: string, flags: SteerFlags): Promise<void> {
  return steer('cancel', flags, (open, { cancelRun }) => cancelRun(run, flags.note, open));
}

/** `untildone fleet answer`. */
export async function answer(run: string, words: string[], flags: SteerFlags): Promise<void> {
  const text = words.join(' ').trim();
  if (text === '') throw new UsageError('the answer is empty; type what the agent is to do');
  const said = { text, ...(flags.about === undefined ? {} : { about: flags.about }) };
  await steer('answer', flags, (open, { askOfRun }) => askOfRun(run, 'answer', said, open));
}

/** `untildone fleet retry`. */
export function retry(run: string, flags: SteerFlags): Promise<void> {
  return steer('retry', flags, (open, { retryRun }) => retryRun(run, choicesFrom(flags).limits, open));
}

/** `untildone fleet remove`. */
export function remove(run: string, flags: SteerFlags): Promise<void> {
  return steer('remove', flags, (open, { removeDead }) => removeDead(run, open));
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

/** `untildone fleet pause` and `resume`. */
export function pauseOrResume(command: 'pause' | 'resume') {
  return async (run: string | undefined, flags: SteerFlags): Promise<void> => {
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
  };
}

/** `untildone fleet approve` and `reject`. */
export function approveOrReject(command: 'approve' | 'reject') {
  return (run: string, name: string | undefined, flags: SteerFlags): Promise<void> =>
    steer(command, flags, (open, { askOfRun }) => {
      const said = {
        ...(name === undefined ? {} : { about: name }),
        ...(flags.note === undefined ? {} : { text: flags.note }),
      };
      return askOfRun(run, command, said, open);
    });
}

/** `untildone fleet drain`. */
export async function drain(name: string | undefined, flags: SteerFlags): Promise<void> {
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
