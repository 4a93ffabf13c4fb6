import { type Command, Option } from 'commander';
import { PRESETS } from '../../engine/core/contract/contract.ts';
import { ACTIVE_LOOP, jsonFlag, NEWEST_LOOP } from '../flags.ts';
import { later } from '../later.ts';

export function addContractCommands(cli: Command): void {
  addInit(cli);
  addTrust(cli);
  addVerify(cli);
  addUpdateAndAllow(cli);
  addReceipt(cli);
  addHoldoutCommands(cli);
}

function addInit(cli: Command): void {
  cli
    .command('init')
    .description('look at the project and propose a contract for it: untildone.yaml')
    .option('--yes', 'write it without asking', false)
    .addOption(new Option('--preset <name>', 'use ready-made phases with their gates').choices(PRESETS))
    .action(later(async () => (await import('./actions.ts')).initHere));
}

function addTrust(cli: Command): void {
  cli
    .command('trust')
    .description('see what the contract of this project runs, and trust exactly that on this machine')
    .option('--show', 'only show it, with its fingerprint', false)
    .option('--fingerprint <hash>', 'trust the contract without being asked, if this is its fingerprint')
    .option('--revoke', 'trust no contract of this project any more')
    .option('--json', 'with --show: print JSON', false)
    .action(later(async () => (await import('./actions.ts')).trustHere));
}

function addVerify(cli: Command): void {
  cli
    .command('verify')
    .description('judge the contract now, without a loop: exit 0 done, 1 not done, 2 could not judge')
    .argument('[gates...]', 'only these gates')
    .option('--fresh', 'judge everything anew, also what is known already', false)
    .option(
      '--base <commit>',
      'judge what changed since this commit (default: where your branch began, else the last commit)',
    )
    .option('--contract <file>', 'the contract (default: untildone.yaml)')
    .option(
      '--contract-from <commit>',
      'judge by the contract of this commit, branch or tag, whatever the work made of it',
    )
    .addOption(
      new Option(
        '--on-contract-change <what>',
        'with --contract-from: what to do when the contract, or what it runs, is changed here',
      )
        .choices(['warn', 'fail'])
        .default('warn'),
    )
    .option(
      '--allow-skipped <gate>',
      'exit 0 although this gate was skipped, because there is nothing to compare with; may be repeated',
      (gate: string, before: string[]) => [...before, gate],
      [] as string[],
    )
    .option(
      '--allow <exception>',
      'allow one thing that a gate objects to, by its name; may be repeated',
      (name: string, before: string[]) => [...before, name],
      [] as string[],
    )
    .option('--attest <file>', 'write a signed statement about this tree, when it is done')
    .option('--statement <file>', 'write the bare statement, for another tool to sign')
    .option('--predicate <file>', 'write what it says, for a tool that makes the statement itself')
    .option('--receipt <file>', 'refuse unless this tree is the one of the receipt')
    .option('--key <file>', 'the public key that has to have signed the receipt')
    .option('--sign-key <file>', 'the private Ed25519 key that signs (default: the key of this machine)')
    .addOption(
      new Option('--format <format>', 'the form of the output')
        .choices(['text', 'json', 'github'])
        .default('text'),
    )
    .addOption(jsonFlag())
    .option('--summary <file>', 'add a summary in Markdown to this file')
    .option('--sarif <file>', 'write what was found as SARIF 2.1.0')
    .action(later(async () => (await import('./actions.ts')).verifyHere));
}

function addUpdateAndAllow(cli: Command): void {
  cli
    .command('contract')
    .description('change the contract of an active loop')
    .command('update')
    .description('judge a loop by untildone.yaml as it is now')
    .argument('[loop]', ACTIVE_LOOP)
    .action(later(async () => (await import('./actions.ts')).updateHere));
  cli
    .command('allow')
    .description('allow one thing that a gate objects to, by the name that the gate gave it')
    .argument(
      '<exception>',
      'its name, as the gate shows it in brackets, for example deleted:test/old.test.ts',
    )
    .argument('[loop]', ACTIVE_LOOP)
    .option('--note <text>', 'why, for the journal')
    .action(later(async () => (await import('./actions.ts')).allow));
}

function addReceipt(cli: Command): void {
  const receipt = cli
    .command('receipt')
    .description('show the receipt of a loop: what its verified_done rests on')
    .argument('[loop]', NEWEST_LOOP)
    .addOption(
      new Option('--format <format>', 'the form of the output; dsse: the signed statement for others')
        .choices(['text', 'json', 'md', 'dsse'])
        .default('text'),
    )
    .addOption(jsonFlag())
    .option(
      '--countersigned <file>',
      'a statement of untildone verify --attest about the same tree, signed by others',
    )
    .option('--key <file>', 'the public key whose signature counts')
    .option('--repo <owner/name>', 'the repository on GitHub whose workflow signed it; asks gh')
    .option('--workflow <path>', 'with --repo: only this workflow counts')
    .action(later(async () => (await import('./actions.ts')).show));
  receipt
    .command('verify')
    .description('check whether a receipt was changed since it was signed: exit 0 intact, 1 changed')
    .argument('<file>', 'a receipt.json, or a signed statement')
    .option('--rerun', 'run its commands again in a clean copy of the tree it names', false)
    .option('--prepare <command>', 'run this in the copy first, for example "npm ci"')
    .option('--key <file>', 'the public key that has to have signed it')
    .option('--json', 'print JSON')
    .action(later(async () => (await import('./actions.ts')).verifyFile));
  receipt
    .command('key')
    .description('print the public key of this machine, with which others check its receipts')
    .action(later(async () => (await import('./actions.ts')).key));
}

function addHoldoutCommands(cli: Command): void {
  const holdout = cli
    .command('holdout')
    .description('keep tests that the agent never sees; the gate holdout runs them on its work');
  holdout
    .command('add')
    .description('hold files or folders out: they are copied into the untildone home')
    .argument('<paths...>', 'files or folders, inside or outside of the project')
    .option('--as <path>', 'their place in the project (default: where they are, or their name)')
    .action(later(async () => (await import('./actions.ts')).holdOut));
  holdout
    .command('list')
    .description('show what is held out for this project')
    .option('--json', 'print JSON', false)
    .action(later(async () => (await import('./actions.ts')).listHeldOut));
  holdout
    .command('remove')
    .description('hold files or folders out no longer')
    .argument('[paths...]', 'as "untildone holdout list" shows them')
    .option('--all', 'all of them', false)
    .action(later(async () => (await import('./actions.ts')).removeHeldOut));
  holdout
    .command('check')
    .description('run the held-out tests now: exit 0 they pass, 1 they fail, 2 could not judge')
    .action(later(async () => (await import('./actions.ts')).checkHeldOut));
}
