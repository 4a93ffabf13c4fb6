/** Ways in which the words of a call say what it checks. */
import { hasOption, plainWords } from '../shell/options.ts';
import { type CheckKind, kindByName } from './check-names.ts';

/** By the first word that is no option. */
export type Verbs = Readonly<Record<string, CheckKind>>;

/** Another program that a call starts. */
export interface OtherCall {
  program: string;
  args: readonly string[];
}

export type CallReader = (args: readonly string[]) => CheckKind | OtherCall | undefined;

const STRENGTH: readonly CheckKind[] = ['all', 'tests', 'types', 'lint', 'build', 'format'];

export function byVerb(args: readonly string[], verbs: Verbs): CheckKind | undefined {
  const [verb = ''] = plainWords(args);
  return Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
}

/** By any of the words, as tasks and goals are given: the strongest counts. */
export function byWords(args: readonly string[], verbs: Verbs = {}): CheckKind | undefined {
  const kinds = plainWords(args).flatMap((word) => {
    const name = word.slice(word.lastIndexOf(':') + 1);
    return Object.hasOwn(verbs, name) ? (verbs[name] ?? []) : (kindByName(name) ?? []);
  });
  return STRENGTH.find((kind) => kinds.includes(kind));
}

/** By the names of targets, the strongest counts; `otherwise` without a target. */
export function byTarget(
  args: readonly string[],
  otherwise?: CheckKind,
  withValue: readonly string[] = [],
): CheckKind | undefined {
  const targets = plainWords(args, withValue).filter((word) => !word.includes('='));
  if (targets.length === 0) return otherwise;
  const kinds = targets.map(kindByName);
  return STRENGTH.find((kind) => kinds.includes(kind));
}

/** Only with one of these options. */
export function only(
  args: readonly string[],
  kind: CheckKind,
  ...options: readonly string[]
): CheckKind | undefined {
  return hasOption(args, ...options) ? kind : undefined;
}
