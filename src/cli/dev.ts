/** Adds the commands for authors of hooks. Their code is loaded when one of them is called. */
import { dirname } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Format } from '../dev/conformance/scenario.ts';
import type { DemoFlags } from '../dev/demo/command.ts';
import type { SimulateOptions } from '../dev/simulator/command.ts';
import { thisProgram } from '../engine/home/program.ts';
import { loaded } from './later.ts';

type DevCommands = typeof import('../dev/commands.ts');

export function loadDev(): Promise<DevCommands> {
  return loaded(() => import('../dev/commands.ts'));
}

export function addDevCommands(cli: Command): void {
  addDemo(cli);
  addSimulate(cli);
  addConformance(cli);
}

function addDemo(cli: Command): void {
  cli
    .command('demo')
    .description('watch a real Claude Code session being held until the work is done; no account needed')
    .option('--run', 'watch a run instead: one task over several sessions', false)
    .option('--plan', 'watch a plan instead: phases, your approval, four chunks with their tests', false)
    .option('--cheat', 'watch an agent that tries eight cheats instead: each is caught, by name', false)
    .option('--claude <path>', 'the Claude Code to start')
    .option('--keep', 'keep the temporary folder, and say where it is', false)
    .option('--real', 'use your own Claude login and model: costs money', false)
    .option('--yes', 'do not ask whether --real is meant', false)
    .action(async (flags: DemoFlags) => {
      process.exitCode = await (await loadDev()).demo(flags, thisProgram());
    });
}

function addSimulate(cli: Command): void {
  cli
    .command('simulate')
    .description('serve a scripted model on this machine until you press Ctrl-C')
    .argument('<script>', 'a file with the answers of the model, as YAML or JSON')
    .option('--port <n>', 'the port (default: a free one)', port)
    .option('--log <file>', 'append every request to this file, one JSON object a line')
    .action(async (script: string, flags: Omit<SimulateOptions, 'script'>) => {
      process.exitCode = await (await loadDev()).simulate({ script, ...flags });
    });
}

function port(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= 65_535) return number;
  throw new InvalidArgumentError('Type a port from 1 to 65535, or 0 for a free one.');
}

/** Repeats the names of the formats, so that the help can be shown without loading their code. */
const FORMATS: Record<Format, true> = {
  'ralph-loop': true,
  'feature-list': true,
  'verified-done': true,
  lock: true,
};

interface ConformanceFlags {
  dialect?: Format;
  scenario?: string;
  json: boolean;
}

function addConformance(cli: Command): void {
  cli
    .command('conformance')
    .description('replay known bugs of Stop hooks against a Stop hook of your choice, and print a table')
    .usage('[options] -- <command>')
    .argument('[command...]', 'the command of the hook, as it would stand in the settings')
    .addOption(new Option('--dialect <name>', 'only this format').choices(Object.keys(FORMATS)))
    .option('--scenario <pattern>', 'only scenarios with this name; * stands for anything')
    .option('--json', 'print JSON', false)
    .action(async (command: string[], flags: ConformanceFlags) => {
      const programFolder = dirname(thisProgram().hookEntry);
      process.exitCode = await (await loadDev()).replayBugs({ command, ...flags, programFolder });
    });
}
