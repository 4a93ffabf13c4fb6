import { join } from 'node:path';
import { type CommandPart, commandParts, makeRule, partName } from '../core/command-parts.ts';
import { readSmall } from './atomic-file.ts';
import { sha256 } from './journal-file.ts';

const DEPTH = 5;

/**
 * What some commands resolve to in a project now, scripts that call scripts included: name to text. A script that a
 * package manager would run beside another one, and that is not there, has an empty text: adding it is a change.
 */
export function resolveParts(project: string, commands: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (command: string, folder: string, depth: number) => {
    for (const part of commandParts(command, folder)) {
      const name = partName(part);
      if (Object.hasOwn(found, name)) continue;
      const text = textOf(project, part);
      if (text === undefined) continue;
      found[name] = text;
      if (part.kind !== 'file' && depth < DEPTH) visit(commandsIn(part, text), part.folder, depth + 1);
    }
  };
  for (const command of commands) visit(command, '.', 0);
  return found;
}

export function hashParts(parts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, sha256(text)]));
}

/** A rule runs the rules it needs first, then its recipe; `@` and `-` only say how. */
function commandsIn(part: CommandPart, text: string): string {
  if (part.kind !== 'target') return text;
  const [head = '', ...recipe] = text.split('\n');
  const [, needed = '', inline = ''] = /^[^:]*::?([^;|#]*)[^;]*;?(.*)$/.exec(head) ?? [];
  const before = needed.trim() === '' ? [] : [`make ${needed.trim()}`];
  return [...before, inline, ...recipe.map((line) => line.replace(/^[\t ]*[@+-]*/, ''))].join('\n');
}

/** In the order in which make looks for them. */
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];

function textOf(project: string, part: CommandPart): string | undefined {
  switch (part.kind) {
    case 'script':
      return packageScript(read(project, part.folder, 'package.json'), part.script);
    case 'target': {
      const makefile = MAKEFILES.map((name) => read(project, part.folder, name)).find((t) => t !== undefined);
      return makefile === undefined ? undefined : makeRule(makefile, part.target);
    }
    case 'file':
      return read(project, '.', part.path);
  }
}

function packageScript(text: string | undefined, script: string): string | undefined {
  if (text === undefined) return undefined;
  try {
    const scripts = (JSON.parse(text) as { scripts?: Record<string, unknown> }).scripts ?? {};
    const value = scripts[script];
    if (typeof value === 'string') return value;
    return typeof scripts[script.replace(/^(?:pre|post)/, '')] === 'string' ? '' : undefined;
  } catch {
    return undefined;
  }
}

/** A part that cannot be read now differs from one that could be read at the start: that is what counts. */
function read(project: string, folder: string, file: string): string | undefined {
  try {
    return readSmall(join(project, folder, file));
  } catch {
    return undefined;
  }
}
