import { resolve } from 'node:path';
import { type Protected, refusedWrite } from '../../../src/engine/core/tools/protect.ts';

export const HOME = '/home/me';
export const PROJECT = '/home/dev/app';
const NAMES: Record<string, string> = {
  [`${PROJECT}/untildone.yaml`]: 'untildone.yaml',
  [`${HOME}/.untildone`]: "untildone's own folder",
  [`${PROJECT}/.claude/settings.json`]: 'the settings of Claude Code',
  [`${PROJECT}/.claude/settings.local.json`]: 'the settings of Claude Code',
  [`${HOME}/.claude/settings.json`]: 'the settings of Claude Code',
};
const GUARDED: Protected = { paths: Object.keys(NAMES), what: (path) => NAMES[path] ?? path };

const absolute = (path: string) => resolve(PROJECT, path.replace(/^(~|\$HOME|\$\{HOME\})(?=\/|$)/, HOME));

/** Why a call may not be made where the files above are protected. */
export const refused = (tool: string, input: Record<string, unknown>) =>
  refusedWrite(tool, input, GUARDED, absolute);
