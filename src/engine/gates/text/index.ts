import type { GateOptions } from '../../core/contract/gate-options.ts';
import { writtenIn } from '../../core/loop/event.ts';
import { lineMatcher, patternProblem } from '../../core/text/line-pattern.ts';
import { groupBy } from '../../core/text/lists.ts';
import { findInText, type TextFinding } from '../forbid/find.ts';
import { groupsOf } from '../forbid/index.ts';
import type { InstantGate, Judgement } from '../gate.ts';
import { textTraits } from './traits.ts';

/** A longer text is not searched: it is more than a model could read, and patterns would take seconds. */
const LONGEST = 1_000_000;
const MAX_LINES = 20;

type What = 'prompt' | 'task';

/** One thing that is wrong with a text. It says where, and never quotes the text: that may be a secret. */
interface Fault {
  summary: string;
  evidence?: string[];
  next: string;
}

/** The text of a prompt or of a task. At a Stop there is no such text, and the gate skips. */
export const textGate: InstantGate<'text'> = {
  ...textTraits,
  judge(options, { request }) {
    const written = writtenIn(request.event);
    if (!written) return { outcome: 'skip', summary: 'there is no prompt and no task to look at' };
    const { what, text } = written;
    if (text.length > LONGEST) {
      return {
        outcome: 'unproven',
        summary: `the ${what} is too long to be looked through`,
        next: 'shorten it',
      };
    }
    const groups = groupsOf({ patterns: options.forbid, custom: options.custom });
    if (typeof groups === 'string') return { outcome: 'unproven', summary: groups };
    const problem = options.matches && patternProblem(options.matches.pattern);
    if (problem) return { outcome: 'unproven', summary: `"matches" cannot be used: expected ${problem}` };
    const faults = [
      ...lengthFaults(text, what, options),
      ...forbiddenIn(findInText(text, groups), what),
      ...missing(text, what, options.matches),
    ];
    return faults.length === 0 ? passed(what) : failed(faults);
  },
};

function lengthFaults(text: string, what: What, { atLeast, atMost }: GateOptions['text']): Fault[] {
  const length = [...text.trim()].length;
  const has = `the ${what} has ${length} ${length === 1 ? 'character' : 'characters'}`;
  if (atLeast !== undefined && length < atLeast) {
    return [
      { summary: `${has}, at least ${atLeast} are asked for`, next: `say more about what is to be done` },
    ];
  }
  if (atMost !== undefined && length > atMost) {
    return [{ summary: `${has}, at most ${atMost} are allowed`, next: `say it in fewer words` }];
  }
  return [];
}

function forbiddenIn(findings: readonly TextFinding[], what: What): Fault[] {
  if (findings.length === 0) return [];
  const groups = [...groupBy(findings, ({ group }) => group).keys()];
  const rest = findings.length - MAX_LINES;
  return [
    {
      summary: `the ${what} contains what is forbidden: ${groups.join(', ')}`,
      evidence: [
        ...findings.slice(0, MAX_LINES).map(describe),
        ...(rest > 0 ? [`and ${rest} more lines`] : []),
      ],
      next: groups.some(isSecret) ? WITHOUT_SECRET : `take it out, or say it in another way`,
    },
  ];
}

const WITHOUT_SECRET =
  'take the secret out and name the variable or the file that holds it; where it was shown before, replace it';

function isSecret(group: string): boolean {
  return group === 'secrets' || group === 'private_keys';
}

function describe({ line, group, pattern }: TextFinding): string {
  return `line ${line}: ${group === pattern ? group : `${group} (${pattern})`}`;
}

function missing(text: string, what: What, matches: GateOptions['text']['matches']): Fault[] {
  if (!matches) return [];
  const matcher = lineMatcher(matches.pattern);
  const found = text.split('\n').some((line) => matcher.test(line));
  return found ? [] : [{ summary: `something is missing in the ${what}: ${matches.say}`, next: matches.say }];
}

function passed(what: What): Judgement {
  return { outcome: 'pass', summary: `the ${what} keeps all rules` };
}

function failed(faults: readonly Fault[]): Judgement {
  const evidence = faults.flatMap((fault) => fault.evidence ?? []);
  return {
    outcome: 'fail',
    summary: faults.map(({ summary }) => summary).join('; '),
    evidence: evidence.length > 0 ? evidence : undefined,
    next: faults.map(({ next }) => next).join('; '),
  };
}
