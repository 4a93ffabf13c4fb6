import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { agentSdk } from '../../client/sdk/ask-model.ts';
import { readConversation } from '../../client/transcript/conversation.ts';
import { readSubagentActivity } from '../../client/transcript/subagent.ts';
import { taskListIn } from '../../client/transcript/task-list.ts';
import { readToolCalls } from '../../client/transcript/tool-calls.ts';
import { EXIT } from '../../core/words/exit-codes.ts';
import { sha256 } from '../../files/digest.ts';
import { ALL_GATES } from '../../gates/all.ts';
import { holdoutOf } from '../../home/holdout.ts';
import { keptFacts } from '../../home/kept-facts.ts';
import { type Home, projectFolder, readKey } from '../../home/layout.ts';
import { discardReceipt, writeReceipt } from '../../home/receipts.ts';
import type { Judges, Receipts } from '../../judging/ports.ts';
import { contractFileDigest, hashParts, resolveParts } from '../../project/facts/command-parts.ts';
import { inPlace, withinWalls } from '../../project/room/in-place.ts';
import { roomsOf, startsOf } from '../../project/room/rooms.ts';
import { keepStart } from '../../project/room/start.ts';
import { systemShell } from '../../project/shell/shell.ts';
import { openSourceReader } from '../../project/source/parser.ts';
import { scratchAt } from '../../project/trees/scratch.ts';
import { shadowOfWorktree, worktreeAt } from '../../project/trees/user-repository.ts';
import { openWorkspace } from '../../project/trees/workspace.ts';
import { wallsFor, wallsOnMachine } from '../../project/walls/walls-for.ts';
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
    inPlace: (dir, contract) => {
      const { walls } = wallsFor(contract?.sandbox, { env, untildoneHome: home.root });
      const caches = join(projectFolder(home, dir), 'caches');
      if (walls) return withinWalls({ dir, env, walls, caches, passEnv: contract?.room?.passEnv });
      return inPlace(dir, shell, env);
    },
    walls: (sandbox) => wallsOnMachine(sandbox, { env, untildoneHome: home.root }),
    keepStart: (project, needs) => {
      const { key } = shadowOf(home, project);
      return keepStart(project, needs, env, startsOf({ folder: projectFolder(home, project), key }));
    },
    rooms: (frozen, project) =>
      roomsOf({
        project,
        contract: frozen.contract,
        start: frozen.frozen.start,
        folder: projectFolder(home, project),
        env,
        walls: wallsFor(frozen.contract.sandbox, { env, untildoneHome: home.root }).walls,
        ...shadowOf(home, project),
      }),
    notifier: systemNotifier(shell),
    source: openSourceReader(),
    agent: agentSdk({ env }),
    tasks: taskListIn(claudeConfigDir(env)),
    holdout: (project) => holdoutOf(home, project),
    scratch: (project) => scratchAt(shadowOf(home, project)),
    workspace: (project) => openWorkspace({ project, ...shadowOf(home, project) }),
    measured: (project, fingerprint) =>
      keptFacts(join(projectFolder(home, project), 'measured'), fingerprint, keyOf(home)),
    kept: (outputDir, fingerprint) => keptFacts(join(outputDir, 'kept'), fingerprint, keyOf(home)),
    parts: (project, commands, rule) => hashParts(resolveParts(project, commands, rule)),
    contractFile: contractFileDigest,
    digest: sha256,
    conversation: (transcript) => readConversation(transcript),
    toolCalls: (transcript, from) => readToolCalls(transcript, from),
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
  process.once('SIGINT', () => process.exit(EXIT.interrupted));
  process.once('SIGTERM', () => process.exit(EXIT.terminated));
  process.once('SIGHUP', () => process.exit(EXIT.hangup));
}

/** One shadow repository serves all loops of a project, so that unchanged files are read once. */
function shadowOf(home: Home, project: string): { shadowDir: string; indexFile: string; key: string } {
  const folder = projectFolder(home, project);
  return {
    shadowDir: join(folder, 'shadow.git'),
    indexFile: join(folder, 'index'),
    // A command that only shows something makes no home, and nothing is kept then.
    key: keyOf(home),
  };
}

function keyOf(home: Home): string {
  return existsSync(home.keyFile) ? readKey(home) : '';
}

export function openReceipts(home: Home): Receipts {
  return {
    write: ({ dir }, receipt) => writeReceipt(dir, receipt, home),
    discard: ({ dir }) => discardReceipt(dir),
  };
}
