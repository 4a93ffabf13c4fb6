/** The version of Claude Code, as far as it can be read without starting it. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readSmall } from '../../files/whole-file.ts';
import { parseFields, text } from '../fields.ts';
import { findClaude } from './find-client.ts';

const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[\w.]{1,40})?$/;

/** That of the Claude Code which runs this process, else of the one on PATH. Undefined when nothing shows it. Never throws. */
export function clientVersion(env: NodeJS.ProcessEnv): string | undefined {
  const running = /^claude-code_(\d+)-(\d+)-(\d+)_/.exec(env.AI_AGENT ?? '');
  if (running) return running.slice(1).join('.');
  if (env.CLAUDE_CODE_EXECPATH) return versionAt(env.CLAUDE_CODE_EXECPATH);
  const claude = findClaude(undefined, { searchPath: env.PATH ?? '' });
  return claude?.source === 'PATH' ? versionAt(claude.path) : undefined;
}

/** Its installer names the program by its version; in a package of npm, the package says it. */
function versionAt(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    const name = basename(real);
    return VERSION.test(name) ? name : (packagedAt(dirname(real)) ?? packagedAt(dirname(dirname(real))));
  } catch {
    return undefined;
  }
}

function packagedAt(folder: string): string | undefined {
  const fields = parseFields(readSmall(join(folder, 'package.json')) ?? '') ?? {};
  const version = text(fields, 'version') ?? '';
  const isClient = /^@anthropic-ai\/claude-code(?:-|$)/.test(text(fields, 'name') ?? '');
  return isClient && VERSION.test(version) ? version : undefined;
}
