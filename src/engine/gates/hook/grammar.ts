import { textOf } from '../../schema/values.ts';
import { gateKind } from '../kind-grammar.ts';

const HOOK = 'old: { hook: python3 .claude/hooks/check.py, timeout: 60s }';

export const hookGrammar = gateKind({
  kind: 'hook',
  about: 'Runs a command that was written as a Stop hook of Claude Code, and takes its answer.',
  example: HOOK,
  what: textOf('a command', HOOK).describe('A command for sh that gets the event as JSON on stdin.'),
  main: 'command',
  options: {},
  build: (command) => ({ command }),
});
