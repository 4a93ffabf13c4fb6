/** Makefiles, and runners of tasks like make. */
import { byTarget } from '../commands/by-words.ts';
import type { Checks, OtherOptions, WeakCalls } from './chain.ts';

export const runnerSettings = [/(?:^|\/)[jJ]ustfile$|(?:^|\/)Taskfile\.ya?ml$/];

export const checks: Checks = {
  'make gmake ninja': (args) => byTarget(args, 'build', ['-C', '-f', '-j', '--directory', '--file']),
  'just task mage invoke inv poe': (args) =>
    byTarget(args, undefined, ['-f', '-d', '--justfile', '--taskfile']),
};

export const otherOptions: OtherOptions = { 'make gmake': ['-k', '-f', '-o', '-e', '-t', '-R'] };

export const weakCalls: WeakCalls = {
  'make gmake just ninja': { dry_run: /^-(?:[a-z]*[nqt]|N$)/, errors_are_fine: /^-[a-z]*i/ },
};
