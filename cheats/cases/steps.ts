import type { Step } from '../format.ts';

/** Short forms of steps, for cases that are read in a list. */
export function edit(path: string, from: string, to: string): Step {
  return { replace: { path, from, to } };
}

export function write(path: string, text: string): Step {
  return { write: { [path]: text } };
}

export function run(command: string): Step {
  return { run: command };
}

export function remove(path: string): Step {
  return { remove: path };
}
