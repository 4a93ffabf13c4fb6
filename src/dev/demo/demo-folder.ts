/** A demo is a folder: the project in `project/`, the model's words in `model.yaml`, and how it is played in `demo.yaml`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { UsageError } from '../../engine/core/text/errors.ts';
import { parseSimulatorScript, type Turn } from '../simulator/simulator-script.ts';

const words = z.array(z.string());

/** Refuses an expectation that compares nothing: it would always hold. */
function strictly<Shape extends z.core.$ZodShape>(shape: Shape, without: readonly string[]) {
  return z
    .strictObject(shape)
    .refine((value) => Object.keys(value).some((key) => !without.includes(key)), 'nothing is compared here');
}

/** A part of a value: objects by the keys that are named, lists by items that must be in them. */
const part = z.record(z.string(), z.unknown());

/** A question to the lines of the journal; each line has `entry` and `state`. All that is named has to hold. */
const query = strictly(
  {
    /** Only lines with this part. */
    where: part.optional(),
    pick: z.enum(['first', 'last']).optional(),
    /** The line that was picked has this part. */
    has: part.optional(),
    /** A path to values in these lines, such as `entry.verdicts[gate=tests].outcome`. */
    take: z.string().optional(),
    /** All values, in their order. */
    are: z.array(z.unknown()).optional(),
    count: z.int().optional(),
    distinct: z.boolean().optional(),
    among: words.optional(),
    /** Every line has such a number, and it is at least, or above, this one. */
    least: z.number().optional(),
    above: z.number().optional(),
    /** The path of a number in the last state: the sum of all values. */
    sums_to: z.string().optional(),
    /** The values of each line: lists that only grow, empty and repeated ones left out. */
    grows: z.array(words).optional(),
    /** How many values each line has. */
    sizes: z.array(z.int()).optional(),
  },
  ['where', 'pick', 'take'],
);

/** One step of a demo. In texts `{session}` is the session of Claude Code, `{turn 7}` what the model said then. */
const step = strictly(
  {
    /** Its name, which is shown. */
    says: z.string(),
    /** A real model takes its own way: this need not happen on it. */
    scripted: z.boolean().optional(),
    /** How the test of the demo ends, run by the demo itself before and after. */
    test: z
      .strictObject({ before: z.literal('fails').optional(), after: z.literal('passes').optional() })
      .optional(),
    /** These files, or all of the project, read as they did at first. */
    unchanged: z.union([z.literal('all'), words]).optional(),
    /** How files read in the end. */
    files: z.record(z.string(), z.string()).optional(),
    journal: z.array(query).optional(),
    journal_whole: z.literal(true).optional(),
    /** The last Stop ended the loop with this status, and the loop has it still. */
    ends: z.string().optional(),
    /** A receipt with this status, as it was signed. */
    receipt: z.string().optional(),
    /** For each list: a request to the model that holds all of its texts. */
    told: z.array(words).optional(),
    /** The first request that holds this text is neither the first nor the last one. */
    told_midway: z.string().optional(),
    /** What the tool call with this id gave back to the model. */
    tool_result: z.strictObject({ id: z.string(), failed: z.boolean() }).optional(),
    each_turn_once: z.literal(true).optional(),
    /** No request to the model between the first lines of the journal with these parts. */
    silence: z.strictObject({ from: part, to: part }).optional(),
    /** The exit code of what was typed; nothing of it failed. */
    exit: z.int().optional(),
  },
  ['says', 'scripted'],
);

const session = z.strictObject({ model: z.string(), allow: words, prompt: z.string() });

const grammar = z.strictObject({
  /** What is played, in one line. */
  title: z.string(),
  /** What the first commit of the project says. */
  commit: z.string(),
  /** A shell command that fails in the project as it is, and passes when the work is done. */
  test: z.string(),
  /** After this time it is ended. */
  seconds: z.number(),
  /** One session of Claude Code with our hooks installed. */
  session: session.optional(),
  /** Or what stands behind `untildone run`. */
  run: words.optional(),
  /** What you would read when the run waits for you, and what you would type then. */
  answer: z.strictObject({ read: z.string(), type: words }).optional(),
  /** The commands that show what is left of it. */
  show: words,
  /** What to type in a project of your own. */
  next: z.string(),
  expect: z.array(step),
});

export type Query = z.infer<typeof query>;
export type Step = z.infer<typeof step>;
export type Part = z.infer<typeof part>;

export interface Demo extends z.infer<typeof grammar> {
  name: string;
  /** The project as it is at first, by path. */
  files: Readonly<Record<string, string>>;
  /** What the scripted model says, one a request. */
  turns: readonly Turn[];
}

/** Opens a demo: beside the bundle when installed, else in the repository. */
export function openDemo(name: string, programFolder: string): Demo {
  const places = [join(programFolder, 'examples', name), join(programFolder, '..', 'examples', name)];
  const found = places.find((place) => existsSync(join(place, 'demo.yaml')));
  if (!found) throw new UsageError(`the example is missing in ${places[0]}: install untildone again`);
  return readDemo(name, found);
}

function readDemo(name: string, folder: string): Demo {
  const text = (file: string) => readFileSync(join(folder, file), 'utf8');
  const parsed = grammar.safeParse(parse(text('demo.yaml')));
  if (!parsed.success) throw new UsageError(`examples/${name}/demo.yaml: ${z.prettifyError(parsed.error)}`);
  const { turns = [] } = parseSimulatorScript(text('model.yaml'), `examples/${name}/model.yaml`);
  return { name, ...parsed.data, turns, files: filesIn(join(folder, 'project')) };
}

function filesIn(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((e) => e.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(
    paths.map((path) => [relative(folder, path).replaceAll(sep, '/'), readFileSync(path, 'utf8')]),
  );
}
