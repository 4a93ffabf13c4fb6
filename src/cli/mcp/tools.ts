import { CONTRACT_FILE } from '../../engine/core/contract/contract.ts';
import { keepShort } from '../../engine/core/text/clip.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { openForeign } from '../../engine/hook/wiring/foreign.ts';
import { type ProjectPorts, placeHere } from '../../engine/hook/wiring/project-ports.ts';
import { newestLoop } from '../../engine/run/person/find-loop.ts';
import { hooksStateOf } from '../../engine/run/person/hooks-state.ts';
import { rendered } from '../../engine/terminal/style.ts';
import { showReceipt } from '../contract/receipt.ts';
import { freezeNow } from '../contract/trust.ts';
import { verifyCommand } from '../contract/verify.ts';
import { foreignStatus } from '../loop/foreign-status.ts';
import { status } from '../loop/status.ts';
import type { Tool } from './protocol.ts';

/** The tools of `untildone mcp`. They change no loop, and run nothing that you do not trust. */

/** About 8,000 tokens. Hosts cut longer results, or refuse them. */
const LONGEST_TEXT = 24_000;

export function toolsFor(open: () => ProjectPorts): Tool[] {
  let verifying: Promise<unknown> = Promise.resolve();
  return [
    {
      name: 'verify',
      title: 'Judge the work',
      description:
        'Judges the work in this project by its contract (untildone.yaml) now: runs its checks and says which pass, which fail and why. Call it before you say that work is done. The last line is the result; only "done, and verified" means done.',
      takes: {
        gates: {
          type: 'strings',
          description: 'only these gates, by their names in the contract; all when left out',
        },
        base: { type: 'string', description: 'the commit, branch or tag that the work is compared with' },
      },
      call(given, signal) {
        // One at a time: gates of two judgings would disturb each other.
        const result = verifying.then(() => verifyHere(open(), given, signal));
        verifying = result.catch(() => {});
        return result;
      },
    },
    {
      name: 'status',
      title: 'Loops of this project',
      description:
        'Shows the loops of untildone in this project: what each is about, how far it is, what holds it and how it ended.',
      takes: {},
      call: async () => textOf((out) => statusHere(open(), out), 'untildone status'),
    },
    {
      name: 'receipt',
      title: 'Receipt of a loop',
      description:
        'Shows the receipt of a loop that is done: what that rests on. The newest loop when none is named.',
      takes: { loop: { type: 'string', description: 'the loop, by its id or the beginning of it' } },
      call: async ({ loop }) => {
        const world = open();
        const ref = newestLoop(world.store, world.project, loop as string | undefined);
        return textOf((out) => showReceipt(ref, { format: 'text' }, world, out), 'untildone receipt');
      },
    },
  ];
}

async function statusHere(world: ProjectPorts, out: (line: string) => void): Promise<void> {
  const { store, project, clock, env, home } = world;
  const place = placeHere(world, env.CLAUDE_CODE_SESSION_ID);
  const { needsApproval } = openForeign({ home: world.home, ports: world, place });
  const foreign = await foreignStatus(place, { home, store, needsApproval });
  const hooksAt = (folder: string) => hooksStateOf(folder, env);
  status({ json: false, all: false, project, foreign, hooksAt }, store, clock.now(), out);
}

async function verifyHere(
  world: ProjectPorts,
  { gates, base }: Record<string, string | string[] | undefined>,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const options = {
    ...({ fresh: false, format: 'text', signal } as const),
    ...(gates === undefined || gates.length === 0 ? {} : { gates: gates as string[] }),
    ...(base === undefined ? {} : { base: base as string }),
    accept: async (file: Parameters<typeof freezeNow>[0]) => {
      const { frozen } = await freezeNow(file, world);
      if (!world.store.isTrusted(world.project, frozen.fingerprint)) throw new UsageError(notTrusted(world));
    },
  };
  return textOf(async (out) => void (await verifyCommand(options, world, out)), 'untildone verify');
}

function notTrusted({ project }: ProjectPorts): string {
  return `the contract of ${project} (${CONTRACT_FILE}), or what it runs, is not trusted on this machine, so nothing was run. A person looks at it and trusts it in a terminal: untildone trust`;
}

async function textOf(
  print: (out: (line: string) => void) => Promise<void>,
  command: string,
): Promise<string> {
  const lines: string[] = [];
  await print((line) => void lines.push(rendered(line)));
  const text = lines.join('\n').trimEnd();
  if (text.length <= LONGEST_TEXT) return text;
  // The end of a judging is its result.
  const last = lines.findLast((line) => line.trim() !== '') ?? '';
  return `${keepShort(text, LONGEST_TEXT - 1_000)}\n[all of it: ${command}]\n${keepShort(last, 800)}`;
}
