/**
 * What the real client sent to our hooks in one test, as a file: `<event>/<version of the client>-<case>.json`. Paths, ids and
 * times are placeholders. `test/engine/hook/recordings.test.ts` plays it without a client.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { newerThan } from '../../../src/engine/core/text/version.ts';

const FOLDER = resolve(import.meta.dirname, '../../fixtures/recordings');

export interface Recording {
  /** The test that records it. */
  test: string;
  /** Version of the client. */
  client: string;
  git: boolean;
  /** The name of the project's folder. */
  project: string;
  steps: Step[];
  /** What became of its loops: `claimed_done at iteration 5`, the newest first. */
  loops: string[];
}

export type Step =
  /** What the test, or a tool of the agent, wrote into the project; null: removed. */
  | { kind: 'files'; files: Record<string, Content | null> }
  | { kind: 'commit' }
  /** A command of ours: typed by you, or run by the agent. */
  | { kind: 'untildone'; by: 'person' | 'agent'; args: string[] }
  | EventStep;

/** Text of a file, or where a link leads. */
export type Content = string | { link: string };

export interface EventStep {
  kind: 'event';
  /** What came on stdin. */
  input: Record<string, unknown>;
  /** Names of variables of the client. */
  env: string[];
  /** Lines that files of the client got since the event before, such as its transcript. */
  lines: Record<string, string[]>;
  answer: AnswerKind;
}

/** `unknown`: the stream of the client does not say it. */
export type AnswerKind = 'silence' | 'block' | 'deny' | 'allow' | 'context' | 'message' | 'text' | 'unknown';

/** What kind of answer a hook gave. */
export function kindOfAnswer(stdout: string): AnswerKind {
  if (stdout.trim() === '') return 'silence';
  if (!stdout.trimStart().startsWith('{')) return 'text';
  const { decision, hookSpecificOutput } = JSON.parse(stdout);
  const behavior = hookSpecificOutput?.permissionDecision ?? hookSpecificOutput?.decision?.behavior;
  if (decision === 'block') return 'block';
  if (behavior === 'deny' || behavior === 'allow') return behavior;
  return hookSpecificOutput?.additionalContext === undefined ? 'message' : 'context';
}

/** What `status --json --all` says of loops. */
export function loopsIn(status: string): string[] {
  const { loops } = JSON.parse(status) as { loops: { status: string; iteration: number }[] };
  return loops.map(({ status, iteration }) => `${status} at iteration ${iteration}`);
}

/** Every recording, by its name: `Stop/2.1.325-promise`. */
export function recordings(): Map<string, Recording> {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((n) => n.endsWith('.json'));
  const read = (name: string) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Recording;
  return new Map(names.sort().map((name) => [name.replaceAll('\\', '/').replace(/\.json$/, ''), read(name)]));
}

/** The newest one of a case: `Stop/promise`. */
export function newestOf(name: string): Recording | undefined {
  const [event, title] = [dirname(name), basename(name)];
  const ofCase = [...recordings()].filter(([known]) => {
    const version = /^[\d.]+-/.exec(basename(known))?.[0] ?? '';
    return dirname(known) === event && basename(known) === version + title;
  });
  return ofCase
    .map(([, recording]) => recording)
    .reduce<Recording | undefined>(
      (newest, one) => (newest && newerThan(newest.client, one.client) ? newest : one),
      undefined,
    );
}

export function writeRecording(name: string, recording: Recording): void {
  const file = join(FOLDER, dirname(name), `${recording.client}-${basename(name)}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(recording, undefined, 1)}\n`);
}

/** The line that records it once more. */
export function renewal(test: string): string {
  return `UNTILDONE_RECORD=1 npx vitest run ${test}`;
}

/** Order, fields, types, names and answers of a recording, a line each: what a newer client must not change unseen. */
export function shapeOf({ git, steps, loops }: Recording): string[] {
  return [git ? 'a repository' : 'no repository', ...steps.flatMap(shapeOfStep), ...loops];
}

function shapeOfStep(step: Step): string[] {
  switch (step.kind) {
    case 'files':
      return [`files: ${Object.keys(step.files).sort().join(' ')}`];
    case 'commit':
      return ['commit'];
    case 'untildone':
      return [`untildone by ${step.by}: ${step.args.join(' ')}`];
    case 'event':
      return [
        `event ${step.input.hook_event_name}`,
        ...fieldsOf(step.input).map((field) => `  ${field}`),
        `  env ${step.env.join(' ')}`,
        `  answer ${step.answer}`,
      ];
  }
}

function fieldsOf(value: object, path = ''): string[] {
  return Object.entries(value)
    .flatMap(([name, field]) => {
      const inner = `${path}${name}`;
      if (Array.isArray(field)) return [`${inner}: list`];
      if (typeof field === 'object' && field !== null) return fieldsOf(field, `${inner}.`);
      return [`${inner}: ${field === null ? 'null' : typeof field}`];
    })
    .sort();
}
