import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { readConversation } from '../../client/transcript/conversation.ts';
import { readSubagentActivity } from '../../client/transcript/subagent.ts';
import { taskListIn } from '../../client/transcript/task-list.ts';
import { readToolCalls } from '../../client/transcript/tool-calls.ts';
import type { Contract, SandboxRule } from '../../core/contract/contract.ts';
import { asksForSandbox } from '../../core/run/client-sandbox.ts';
import { once } from '../../core/text/once.ts';
import { EXIT } from '../../core/words/exit-codes.ts';
import { sha256 } from '../../files/digest.ts';
import { gatesOf } from '../../gates/all.ts';
import type { Judges } from '../../gates/gate.ts';
import { holdoutOf } from '../../home/holdout.ts';
import { keptFacts } from '../../home/kept-facts.ts';
import { type Home, projectFolder, readKey } from '../../home/layout.ts';
import { discardReceipt, writeReceipt } from '../../home/receipts.ts';
import type { Receipts } from '../../judging/ports.ts';
import type { Rooms } from '../../ports/rooms.ts';
import type { SourceReader } from '../../ports/source.ts';
import { contractFileDigest, hashParts, resolveParts } from '../../project/facts/command-parts.ts';
import { inPlace, withinWalls } from '../../project/room/in-place.ts';
import type { RoomsWorld } from '../../project/room/rooms.ts';
import { systemShell } from '../../project/shell/shell.ts';
import { shadowOfWorktree, worktreeAt } from '../../project/trees/user-repository.ts';
import { openWorkspace } from '../../project/trees/workspace.ts';
import { wallsName } from '../../project/walls/walls.ts';
import type { FoundWalls } from '../../project/walls/walls-for.ts';
import { type JudgesOptions, part } from './load-bundles.ts';
import { systemNotifier } from './notifier.ts';
import { claudeConfigDir } from './project.ts';

const rooms = () => import('./rooms.ts');

/** What the gates of a contract need to measure; everything without a contract. */
export async function openJudges(
  home: Home,
  env: NodeJS.ProcessEnv,
  { endWithSignals: ends = true, contract }: JudgesOptions = {},
): Promise<Judges> {
  if (ends) endWithSignals();
  const shell = systemShell(env);
  const [gates, wallsFor] = await Promise.all([part(() => gatesOf(contract)), wallsOf(contract, env, home)]);
  return {
    gates,
    cores: availableParallelism(),
    shell,
    inPlace: (dir, asked) => {
      const { walls } = wallsFor(asked?.sandbox);
      const caches = join(projectFolder(home, dir), 'caches');
      if (walls) return withinWalls({ dir, env, walls, caches, passEnv: asked?.room?.passEnv });
      return inPlace(dir, shell, env);
    },
    walls: (sandbox) => {
      const { walls, problem } = wallsFor(sandbox);
      return { name: walls && wallsName(walls), problem };
    },
    keepStart: async (project, kept) => {
      const { keepStart, startsOf } = await part(rooms);
      const { key } = shadowOf(home, project);
      return keepStart(project, kept, env, startsOf({ folder: projectFolder(home, project), key }));
    },
    rooms: (frozen, project) =>
      roomsWhenAsked({
        project,
        contract: frozen.contract,
        start: frozen.frozen.start,
        folder: projectFolder(home, project),
        env,
        walls: wallsFor(frozen.contract.sandbox).walls,
        ...shadowOf(home, project),
      }),
    notifier: systemNotifier(shell),
    source: sourceWhenAsked(),
    agent: {
      ask: async (question) =>
        (await part(() => import('../../client/sdk/ask-model.ts'))).agentSdk({ env }).ask(question),
    },
    tasks: taskListIn(claudeConfigDir(env)),
    holdout: (project) => holdoutOf(home, project),
    scratch: (project) => ({
      checkout: async (...asked) => (await part(rooms)).scratchAt(shadowOf(home, project)).checkout(...asked),
    }),
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

/** Finds the walls that a rule asks for. What builds them is loaded only for a contract that asks for some. */
async function wallsOf(
  contract: Contract | undefined,
  env: NodeJS.ProcessEnv,
  { root }: Home,
): Promise<(sandbox: SandboxRule | undefined) => FoundWalls> {
  const builder =
    contract && !asksForSandbox(contract.sandbox)
      ? undefined
      : await part(() => import('../../project/walls/walls-for.ts'));
  return (sandbox) => {
    if (!asksForSandbox(sandbox)) return {};
    // Commands never run without walls because these were opened for another contract.
    if (!builder) throw new Error('walls are asked for by another contract than the one that is judged');
    return builder.wallsFor(sandbox, { env, untildoneHome: root });
  };
}

function roomsWhenAsked(world: RoomsWorld): Rooms {
  const opened = once(async () => (await part(rooms)).roomsOf(world));
  return {
    open: async (order) => (await opened()).open(order),
    compose: async (...asked) => (await opened()).compose(...asked),
    files: async (...asked) => (await opened()).files(...asked),
    texts: async (...asked) => (await opened()).texts(...asked),
  };
}

function sourceWhenAsked(): SourceReader {
  const reader = once(async () =>
    (await part(() => import('../../project/source/parser.ts'))).openSourceReader(),
  );
  return { matches: async (...asked) => (await reader()).matches(...asked) };
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
