/** The grammar of one kind of gate: a short and a long form, with options beside the kind or inside it. */
import * as z from 'zod';
import { type GateSpec, ROOM_CHOICES } from '../core/contract/contract.ts';
import type { GateKind, GateOptions } from '../core/contract/gate-options.ts';
import { flag, gateNames, listOf, pathOf, textOf, timeOf, wholeNumber } from '../schema/values.ts';
import { oneOf, say, strict } from '../schema/words.ts';

const WORK = 'cli: { run: node tool.js, work: [tool.js] }';

/** The options of every gate, whatever its kind. */
const settings = {
  timeout: timeOf('timeout: 10m')
    .describe('How long judging may take; after that the gate is unproven. Like 90s, 10m, 1h30m.')
    .exactOptional(),
  exclusive: flag('exclusive: true')
    .describe('Never judged at the same time as another gate.')
    .exactOptional(),
  on_unproven: oneOf(['block', 'allow'], 'on_unproven: block')
    .describe(
      'What happens when this gate could not be judged. block (default): it counts as not done. allow: the loop may end, as released.',
    )
    .exactOptional(),
  room: oneOf(ROOM_CHOICES, 'room: clean')
    .describe(
      'Where its commands run. clean: in a fresh copy of the tree, outside of the project. project: in the folder in which the agent works.',
    )
    .exactOptional(),
  network: flag('network: true')
    .describe('Whether its commands reach the network from within walls. Absent: as the contract says.')
    .exactOptional(),
  work: listOf(pathOf('a file, or a glob,', WORK), 'file', WORK)
    .describe(
      'Files that its commands run and that are the work itself: names or globs. They may change after the start; everything else that the commands lead to is frozen.',
    )
    .exactOptional(),
  after: gateNames('tests: { run: npm test, after: [lint] }')
    .describe('Judged only when these gates pass.')
    .exactOptional(),
};

const MOST_REPEATS = 50;
const INPUTS = 'inputs: ["src/**", "test/**"]';
const repeats = `a whole number from 1 to ${MOST_REPEATS}`;

/** The options of every gate that runs a command. */
const commandSettings = {
  inputs: listOf(textOf('a glob', INPUTS), 'glob', INPUTS)
    .describe(
      'Files that the verdict depends on. A pass counts until one of them changes, or a new one fits. Without it, until anything changes.',
    )
    .exactOptional(),
  repeat: wholeNumber('repeat: 3', repeats)
    .max(MOST_REPEATS, say(repeats, 'repeat: 3'))
    .describe('How many passes in a row are asked for. The first failure ends it.')
    .exactOptional(),
};

export const SETTINGS = [...Object.keys(settings), ...Object.keys(commandSettings)];

export interface KindGrammar<
  Kind extends GateKind,
  What extends z.ZodType,
  Options extends z.core.$ZodShape,
> {
  kind: Kind;
  about: string;
  /** A whole gate, to copy. */
  example: string;
  /** The short form. */
  what: What;
  /** The key of the long form that holds what the short form says. Absent: the long form has only options. */
  main?: string;
  /** The value when the long form has no main key. Absent: the main key is required. */
  otherwise?: z.output<What>;
  /** Options that stand beside the kind or in its long form. */
  options: Options;
  /** It runs a command, so that `inputs` and `repeat` make sense. */
  runsCommand?: true;
  /** Says what is expected when the parts do not fit together. */
  conflict?(what: z.output<What>, options: z.output<z.ZodObject<Options>>): string | undefined;
  build(what: z.output<What>, options: z.output<z.ZodObject<Options>>): GateOptions[Kind];
}

export interface GateKindSchema<Kind extends GateKind = GateKind> {
  kind: Kind;
  example: string;
  schema: z.ZodType<GateSpec>;
}

/** `name: { <kind>: <what>, ...options }` or `name: { <kind>: { <main>: <what>, ...options } }`, for one kind. */
export function gateKind<Kind extends GateKind, What extends z.ZodType, Options extends z.core.$ZodShape>(
  grammar: KindGrammar<Kind, What, Options>,
): GateKindSchema<Kind> {
  const { kind, example, options } = grammar;
  const own = grammar.runsCommand ? commandSettings : {};
  const shape = { [kind]: valueSchema(grammar).describe(grammar.about), ...options, ...settings, ...own };
  const schema = strict(shape, `a gate of the kind ${kind}`, example).transform(
    (gate: Record<string, unknown>, context) => {
      const value = gate[kind];
      const inside = isMap(value) ? value : {};
      const twice = Object.keys(options).find((key) => key in gate && key in inside);
      if (twice !== undefined) {
        const message = say(`${twice} only once, beside ${kind} or in it`, example);
        context.issues.push({ code: 'custom', input: gate, path: [twice], message });
        return z.NEVER;
      }
      const what = (
        isMap(value) ? (inside[grammar.main ?? ''] ?? grammar.otherwise) : value
      ) as z.output<What>;
      const chosen = pick({ ...gate, ...inside }, Object.keys(options)) as z.output<z.ZodObject<Options>>;
      const conflict = grammar.conflict?.(what, chosen);
      if (conflict !== undefined) {
        context.issues.push({ code: 'custom', input: gate, path: [kind], message: say(conflict, example) });
        return z.NEVER;
      }
      return { kind, options: grammar.build(what, chosen), ...settingsOf(gate) } as GateSpec;
    },
  );
  return { kind, example, schema };
}

function valueSchema<Kind extends GateKind, What extends z.ZodType, Options extends z.core.$ZodShape>(
  grammar: KindGrammar<Kind, What, Options>,
): z.ZodType {
  const { kind, main, what, options, example } = grammar;
  if (main === undefined && Object.keys(options).length === 0) return what;
  const mainShape = main === undefined ? {} : { [main]: 'otherwise' in grammar ? what.optional() : what };
  const long = strict({ ...mainShape, ...options }, `the long form of ${kind}`, example);
  return z.union([what, long]);
}

function settingsOf(gate: Record<string, unknown>): Record<string, unknown> {
  return {
    ...('timeout' in gate ? { timeoutMs: gate.timeout } : {}),
    ...('exclusive' in gate ? { exclusive: gate.exclusive } : {}),
    ...('on_unproven' in gate ? { onUnproven: gate.on_unproven } : {}),
    ...('room' in gate ? { room: gate.room } : {}),
    ...('network' in gate ? { network: gate.network } : {}),
    ...('work' in gate ? { work: gate.work } : {}),
    ...pick(gate, ['after', 'inputs', 'repeat']),
  };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pick(from: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]));
}
