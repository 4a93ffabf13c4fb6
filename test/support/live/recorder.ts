/** Records what the client of a scene sends to hooks: by a hook of its own beside ours, which answers nothing. */
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { OUR_EVENTS } from '../../../src/engine/client/settings/our-events.ts';
import type { Entry } from '../../../src/engine/core/loop/entry.ts';
import type { StreamLine } from './client.ts';
import { FINGERPRINT, withPlaceholders } from './placeholders.ts';
import {
  type AnswerKind,
  type Content,
  kindOfAnswer,
  loopsIn,
  type Recording,
  type Step,
} from './recording.ts';

/** Arguments for the client, which then says what its hooks answered. */
export const RECORDED_ARGS = ['--include-hook-events'];

const OURS: readonly string[] = OUR_EVENTS.map(([event]) => event);
/** Between them a tool changes files. */
const AFTER_TOOLS = ['PostToolUse', 'PostToolUseFailure'];
/** Of no use to a hook, and different at each start. */
const IGNORED = /^CLAUDE_(?:CODE_MESSAGING_|CODE_DISABLE_|ENV_FILE$)/;
/** Made by our commands, which the one who plays a recording calls, too. */
const NOT_RECORDED = /^\.git\//;

interface Places {
  root: string;
  home: string;
  project: string;
  git: boolean;
}

type Files = Map<string, Content>;

interface Taken {
  at: number;
  input: Record<string, unknown>;
  env: string[];
  files: Files;
  head: string;
}

export class Recorder {
  readonly #places: Places;
  readonly #folder: string;
  readonly #streams: (readonly StreamLine[])[] = [];
  readonly #steps: { at: number; step: Step }[] = [];
  readonly #awaited = new Set<string>();
  #known: Files = new Map();
  #head = '';

  constructor(places: Places) {
    this.#places = places;
    this.#folder = join(places.root, 'recorded');
    mkdirSync(this.#folder);
  }

  /** Settings for `--settings`. */
  settings(): object {
    const folder = this.#folder;
    const line = [
      `n=$(date +%s%N); cat >'${folder}'/$n.part; env | cut -d= -f1 | sort >'${folder}'/$n.env`,
      `cp -R "$CLAUDE_PROJECT_DIR" '${folder}'/$n.tree 2>/dev/null; mv '${folder}'/$n.part '${folder}'/$n.json`,
    ].join('; ');
    const hooks = [{ hooks: [{ type: 'command', command: line, timeout: 60 }] }];
    return { hooks: Object.fromEntries([...OURS, ...AFTER_TOOLS].map((event) => [event, hooks])) };
  }

  /** A command for a shell that waits until such an event is there, for which the client does not wait. */
  waitsFor(event: string): string {
    this.#awaited.add(event);
    return `until grep -qs '"hook_event_name":"${event}"' '${this.#folder}'/*.json; do sleep 0.05; done`;
  }

  /** A client begins: what the test prepared is known, and what its stream says will be read. */
  follow(lines: readonly StreamLine[]): void {
    this.#streams.push(lines);
  }

  /** Notes what the test itself did so far. To be called before a client starts. */
  prepared(): void {
    const now = filesIn(this.#places.project);
    this.#note(changes(this.#known, now));
    this.#known = now;
    const head = headOf(this.#places.project);
    if (head !== this.#head) this.#add({ kind: 'commit' });
    this.#head = head;
  }

  /** Runs a command of ours, of which files are no work of the test. */
  async command<T>(args: readonly string[], run: () => Promise<T>): Promise<T> {
    if (['status', 'log', 'receipt'].includes(args[0] ?? '') || args.includes('--show')) return run();
    this.prepared();
    const known = args.map((word, n) => (args[n - 1] === '--fingerprint' ? FINGERPRINT : word));
    this.#add({ kind: 'untildone', by: 'person', args: known });
    const result = await run();
    this.#known = filesIn(this.#places.project);
    return result;
  }

  /**
   * `test`: the path of the test that records. `status`: what our command says of loops in the end. `entries`: what their
   * journals have, which tells of answers that the stream of the client does not tell.
   */
  recording(test: string, status: string, entries: readonly Entry[]): Recording {
    const taken = takenIn(this.#folder).filter(({ input }) => !this.#mayBeMissing(input));
    const steps = [...this.#steps, ...this.#eventSteps(taken, entries)].sort((a, b) => a.at - b.at);
    const client = this.#versionOfClient();
    const { root, git, project } = this.#places;
    const recording = {
      test,
      client,
      git,
      project: basename(project),
      steps: steps.map(({ step }) => step),
      loops: loopsIn(status),
    };
    return withPlaceholders(recording, root);
  }

  /** The client ends without waiting for hooks of this event, so what they got may not be there. */
  #mayBeMissing({ hook_event_name: event }: Record<string, unknown>): boolean {
    return event === 'StopFailure' && !this.#awaited.has(event);
  }

  #versionOfClient(): string {
    const init = this.#streams[0]?.find(({ subtype }) => subtype === 'init');
    if (init) return String(init.claude_code_version);
    const lines = new ClientLines(this.#transcripts).until(Number.POSITIVE_INFINITY);
    return /"version":"([^"]+)"/.exec(Object.values(lines).flat().join())?.[1] ?? 'unknown';
  }

  get #transcripts(): string {
    return join(this.#places.home, '.claude', 'projects');
  }

  #eventSteps(taken: readonly Taken[], entries: readonly Entry[]): { at: number; step: Step }[] {
    const answers = this.#streams.length > 0 ? this.#answers() : answersOfRun(entries);
    const refused = entries.flatMap((e) => (e.kind === 'event' && e.detail?.refused ? [e.event] : []));
    const lines = new ClientLines(this.#transcripts);
    return taken.flatMap((event, n) => {
      const { at, input, env } = event;
      const name = String(input.hook_event_name);
      if (AFTER_TOOLS.includes(name)) return toolSteps(event, taken);
      // The stream of the client says nothing of some events.
      const answer = answers.get(name)?.shift() ?? (refused.includes(name) ? 'block' : 'unknown');
      const step: Step = { kind: 'event', input, env, lines: lines.until(at), answer };
      return [...changedSettings(event, taken[n - 1]), { at, step }];
    });
  }

  /** By event, in order. The hook of this recorder says nothing: what was said is ours. */
  #answers(): Map<string, AnswerKind[]> {
    const all = this.#streams.flatMap((lines) => [...lines]);
    return new Map(OURS.map((event) => [event, answersAt(all.filter((l) => l.hook_event === event))]));
  }

  #note(files: Record<string, Content | null>): void {
    if (Object.keys(files).length > 0) this.#add({ kind: 'files', files });
  }

  #add(step: Step): void {
    this.#steps.push({ at: Date.now(), step });
  }
}

/** A run answers in its own process: its journal tells which Stops were held. */
function answersOfRun(entries: readonly Entry[]): Map<string, AnswerKind[]> {
  const stops = entries.flatMap((e) => (e.kind === 'stop' ? [e.decision.kind] : []));
  return new Map([['Stop', stops.map((kind) => (kind === 'block' ? 'block' : 'unknown'))]]);
}

/** One answer a call of an event: its hooks are started together, and the next call waits for all of them. */
function answersAt(lines: readonly StreamLine[]): AnswerKind[] {
  const calls: AnswerKind[][] = [];
  let isOpen = false;
  for (const { subtype, stdout } of lines) {
    if (subtype === 'hook_started') {
      if (!isOpen) calls.push([]);
      isOpen = true;
    } else if (subtype === 'hook_response') {
      calls.at(-1)?.push(kindOfAnswer(String(stdout ?? '')));
      isOpen = false;
    }
  }
  return calls.map((kinds) => kinds.find((kind) => kind !== 'silence') ?? 'silence');
}

/** The event comes while the tool that changed the settings is still at work. */
function changedSettings(event: Taken, before: Taken | undefined): { at: number; step: Step }[] {
  if (event.input.hook_event_name !== 'ConfigChange' || before === undefined) return [];
  return [{ at: event.at, step: { kind: 'files', files: changes(before.files, event.files) } }];
}

/** What a tool did: a command of ours that it ran, and files that it changed. */
function toolSteps(after: Taken, all: readonly Taken[]): { at: number; step: Step }[] {
  const { tool_use_id: id, tool_input: input } = after.input;
  const before = all.find(
    (one) => one.input.hook_event_name === 'PreToolUse' && one.input.tool_use_id === id,
  );
  const args = ourCommand(String((input as { command?: unknown }).command ?? ''));
  const files = before ? changes(before.files, after.files) : {};
  const steps: Step[] = [];
  if (args) steps.push({ kind: 'untildone', by: 'agent', args });
  else if (Object.keys(files).length > 0) steps.push({ kind: 'files', files });
  if (before && before.head !== after.head) steps.push({ kind: 'commit' });
  return steps.map((step) => ({ at: after.at, step }));
}

const WORD = /'((?:[^']|'\\'')*)'|([^\s'|&;<>$]+)|(\S)/g;

/** The arguments of a line that is one command of ours, each plain or in single quotes. */
function ourCommand(line: string): string[] | undefined {
  const words = [...line.matchAll(WORD)].map(
    ([, quoted, plain]) => quoted?.replaceAll("'\\''", "'") ?? plain,
  );
  const args = words.slice(2).filter((word) => word !== undefined);
  return words[1]?.endsWith('untildone.cjs') && args.length === words.length - 2 ? args : undefined;
}

function takenIn(folder: string): Taken[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const path = join(folder, name.replace(/\.json$/, ''));
      const env = readFileSync(`${path}.env`, 'utf8').split('\n');
      return {
        at: Number(BigInt(name.replace(/\.json$/, '')) / 1000n) / 1000,
        input: JSON.parse(readFileSync(`${path}.json`, 'utf8')),
        env: env.filter((variable) => /^CLAUDE/.test(variable) && !IGNORED.test(variable)),
        files: filesIn(`${path}.tree`),
        head: headOf(`${path}.tree`),
      };
    });
}

/** Lines that the client wrote about its sessions, in the order of their times. */
class ClientLines {
  readonly #open: { file: string; at: number; text: string }[];

  constructor(folder: string) {
    const files = existsSync(folder) ? [...filesIn(folder)] : [];
    this.#open = files.flatMap(([file, text]) => linesOf(join(folder, file), String(text)));
  }

  /** Those that were written until then, and were not given yet. */
  until(moment: number): Record<string, string[]> {
    const given: Record<string, string[]> = {};
    for (const line of this.#open.filter(({ at }) => at <= moment)) {
      given[line.file] = [...(given[line.file] ?? []), line.text];
      this.#open.splice(this.#open.indexOf(line), 1);
    }
    return given;
  }
}

/** Only kinds of lines that hooks read: the others are large. */
function linesOf(file: string, text: string): { file: string; at: number; text: string }[] {
  if (!file.endsWith('.jsonl')) return [];
  return text.split('\n').flatMap((line) => {
    if (!/"type":"(?:user|assistant|system)"/.test(line)) return [];
    const { timestamp } = JSON.parse(line);
    return timestamp === undefined ? [] : [{ file, at: Date.parse(timestamp), text: line }];
  });
}

function changes(before: Files, now: Files): Record<string, Content | null> {
  const isNew = (path: string, content: Content) => !isDeepStrictEqual(before.get(path), content);
  const changed = [...now].filter(([path, content]) => isNew(path, content));
  const gone = [...before.keys()].filter((path) => !now.has(path)).map((path) => [path, null] as const);
  return Object.fromEntries([...changed, ...gone]);
}

function filesIn(folder: string): Files {
  if (!existsSync(folder)) return new Map();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !NOT_RECORDED.test(path));
  return new Map(paths.sort().map((path) => [path, contentOf(join(folder, path))]));
}

function contentOf(path: string): Content {
  return lstatSync(path).isSymbolicLink() ? { link: readlinkSync(path) } : readFileSync(path, 'utf8');
}

/** The commit of the branch of scenes. */
function headOf(project: string): string {
  const file = join(project, '.git/refs/heads/main');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
