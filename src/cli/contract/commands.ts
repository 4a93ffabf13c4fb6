import { type Command, Option } from 'commander';
import { PRESETS, type PresetName } from '../../core/contract/contract.ts';
import { meantLoop, newestLoop } from '../../hook/start/find-loop.ts';
import { openWorld } from '../../hook/wiring/world.ts';
import { confirm, onTerminal, out } from '../../terminal/print.ts';
import { init } from './init.ts';
import { showReceipt, verifyReceipt } from './receipt.ts';
import { type TrustOptions, trust } from './trust.ts';
import { allowException, updateContract } from './update-allow.ts';
import { type VerifyOptions, verifyCommand } from './verify.ts';

export function addContractCommands(cli: Command): void {
  cli
    .command('init')
    .description('look at the project and propose an untildone.yaml')
    .option('--yes', 'write it without asking', false)
    .addOption(new Option('--preset <name>', 'with ready-made phases and their gates').choices(PRESETS))
    .action(async ({ yes, preset }: { yes: boolean; preset?: PresetName }) => {
      const world = openWorld();
      const options = { project: world.project, yes, terminal: onTerminal(), preset };
      const result = await init(options, confirm, out);
      process.exitCode = result.exitCode;
      if (result.exitCode !== 0) return;
      if (result.approved !== undefined) await trust({ show: false }, world, out);
      else if (yes)
        out('Next, in a terminal: untildone trust (nothing of it runs before a person approved it)');
    });
  cli
    .command('trust')
    .description('look at what the contract of this project runs, and approve exactly that')
    .option('--show', 'only show it, with its fingerprint', false)
    .option('--fingerprint <hash>', 'approve without being asked, if it is exactly this')
    .option('--revoke', 'forget every approval of this project')
    .action(async (options: TrustOptions) => {
      process.exitCode = await trust(options, openWorld(), out);
    });
  cli
    .command('verify')
    .description('judge the contract now, without a loop: exit 0 done, 1 not done, 2 could not judge')
    .argument('[gates...]', 'only these gates')
    .option('--fresh', 'judge everything anew, whatever is known', false)
    .option('--base <commit>', 'look at what changed since this commit (default: the last one)')
    .option('--contract <file>', 'another contract than untildone.yaml')
    .addOption(
      new Option('--format <format>', 'how to say it').choices(['text', 'json', 'github']).default('text'),
    )
    .action(async (gates: string[], options: Omit<VerifyOptions, 'gates'>) => {
      const chosen = gates.length > 0 ? { gates } : {};
      process.exitCode = await verifyCommand({ ...options, ...chosen }, openWorld(), out);
    });
  cli
    .command('contract')
    .description('the contract of a running loop')
    .command('update')
    .description('judge a loop by the present untildone.yaml from now on')
    .argument('[loop]', 'a loop id, or the beginning of one')
    .action(async (id: string | undefined) => {
      const world = openWorld();
      await updateContract(meantLoop(world.store, world.project, id), world, out);
    });
  cli
    .command('allow')
    .description('allow one exception by the name that a gate gave it')
    .argument('<exception>', 'as shown in brackets, for example deleted:test/old.test.ts')
    .argument('[loop]', 'a loop id, or the beginning of one')
    .option('--note <text>', 'why, for the journal')
    .action((exception: string, id: string | undefined, options: { note?: string }) => {
      const world = openWorld();
      allowException(exception, meantLoop(world.store, world.project, id), options.note, world, out);
    });
  addReceipt(cli);
}

function addReceipt(cli: Command): void {
  const receipt = cli
    .command('receipt')
    .description('what a done loop rests on (the newest of this project unless named)')
    .argument('[loop]', 'a loop id, or the beginning of one')
    .addOption(
      new Option('--format <format>', 'how to say it').choices(['text', 'json', 'md']).default('text'),
    )
    .action((id: string | undefined, options: { format: 'text' | 'json' | 'md' }) => {
      const world = openWorld();
      showReceipt(newestLoop(world.store, world.project, id), options.format, world, out);
    });
  receipt
    .command('verify')
    .description('whether a receipt is as it was signed, and what was changed: exit 0 intact, 1 changed')
    .argument('<file>', 'a receipt.json')
    .option('--rerun', 'run its commands again in a clean copy of the tree it names', false)
    .option('--prepare <command>', 'run this in the copy first, for example "npm ci"')
    .action(async (file: string, options: { rerun: boolean; prepare?: string }) => {
      process.exitCode = await verifyReceipt(file, options, openWorld(), out);
    });
}
