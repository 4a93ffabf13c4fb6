import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readConversation } from '../../client/transcript/conversation.ts';
import { readSubagentActivity } from '../../client/transcript/subagent.ts';
import { taskListIn } from '../../client/transcript/task-list.ts';
import { sha256 } from '../../files/digest.ts';
import { ALL_GATES } from '../../gates/all.ts';
import { type Home, projectFolder, readKey } from '../../home/layout.ts';
import { discardReceipt, writeReceipt } from '../../home/receipts.ts';
import type { Judges, Receipts } from '../../judging/ports.ts';
import { contractFileDigest, hashParts, resolveParts } from '../../project/facts/command-parts.ts';
import { inPlace } from '../../project/room/in-place.ts';
import { systemShell } from '../../project/shell/shell.ts';
import { openSourceReader } from '../../project/source/parser.ts';
import { scratchAt } from '../../project/trees/scratch.ts';
import { shadowOfWorktree, worktreeAt } from '../../project/trees/user-repository.ts';
import { openWorkspace } from '../../project/trees/workspace.ts';
import type { JudgesOptions } from './load-bundles.ts';
import { systemNotifier } from './notifier.ts';
import { claudeConfigDir } from './project.ts';

/** Everything that gates need to measure. */
export function openJudges(home: Home, env: NodeJS.ProcessEnv, options: JudgesOptions = {}): Judges {
  if (options.endWithSignals !== false) endWithSignals();
  const shell = systemShell(env);
  return {
    gates: ALL_GATES,
    shell,
    inPlace: (dir) => inPlace(dir, shell, env),
    notifier: systemNotifier(shell),
    source: openSourceReader(),
    agent: { ask: async (ask) => (await import('../../client/sdk/ask-model.ts')).agentSdk({ env }).ask(ask) },
    tasks: taskListIn(claudeConfigDir(env)),
    scratch: (project) => scratchAt(shadowOf(home, project)),
    workspace: (project) => openWorkspace({ project, ...shadowOf(home, project) }),
    parts: (project, commands) => hashParts(resolveParts(project, commands)),
    contractFile: contractFileDigest,
    digest: sha256,
    conversation: (transcript) => readConversation(transcript),
    subagentActivity: (transcript) => readSubagentActivity(transcript),
    worktree: (project, folder) => {
      const found = worktreeAt(project, folder);
      if (!found) return undefined;
      const shadow = shadowOfWorktree(home, project, found);
      return {
        ...found,
        workspace: openWorkspace({ project: found.project, ...shadow, key: readKey(home) }),
      };
    },
  };
}

let watching = false;

/** Exits on signals, so that exit handlers end commands in their own process groups, which get no Ctrl-C. */
function endWithSignals(): void {
  // A program that listens for signals ends its commands itself.
  if (watching || process.listenerCount('SIGINT') > 0) return;
  watching = true;
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  process.once('SIGHUP', () => process.exit(129));
}

/** One shadow repository serves all loops of a project, so that unchanged files are read once. */
function shadowOf(home: Home, project: string): { shadowDir: string; indexFile: string; key: string } {
  const folder = projectFolder(home, project);
  return {
    shadowDir: join(folder, 'shadow.git'),
    indexFile: join(folder, 'index'),
    // A command that only shows something makes no home, and nothing is kept then.
    key: existsSync(home.keyFile) ? readKey(home) : '',
  };
}

export function openReceipts(home: Home): Receipts {
  return {
    write: ({ dir }, receipt) => writeReceipt(dir, receipt, home),
    discard: ({ dir }) => discardReceipt(dir),
  };
}
