/** What does not hold, in words: each with the name by which it is allowed, and with both forms of a test. */
import type { LostTest } from '../../core/proof/differential.ts';
import { differingLines, fileOf, formOf, type TestForm } from '../../core/proof/test-forms.ts';
import type { ChangeFinding } from './change-words.ts';
import type { Comparison } from './compare.ts';
import type { Trees } from './trees.ts';

export interface Finding {
  /** You allow a finding by its id. */
  id: string;
  /** Changes with the texts that the finding is about. */
  about: string;
  /** Whether a task may want it, so that you are asked. */
  askable: boolean;
  /** For the agent and for you: what was found, then both forms. */
  lines: string[];
  /** In one line, for a finding that is no test. */
  summary?: string;
}

export function findingsOf(comparison: Comparison, trees: Trees): Finding[] {
  const { old, fresh, showsNothing, onlyWithSettings } = comparison;
  return [
    ...(old?.lost ?? []).map((test) => lostTest(test, trees, onlyWithSettings.has(test.name))),
    ...trees.redirected.map(redirected),
    ...(showsNothing && fresh ? [nothingShown(fresh.added)] : []),
  ];
}

function lostTest(test: LostTest, trees: Trees, onlyWithSettings: boolean): Finding {
  const id = `old_tests: ${test.name}`;
  const [was, is] = formsOf(test.name, trees);
  const forms = [...placed(was, is), ...differingLines(was, is)];
  const isOwn = forms.length > 0;
  const { tests, settings, shared } = trees.changed;
  const others = onlyWithSettings ? shared : isOwn ? [] : [...tests, ...settings, ...shared];
  return {
    id,
    about: [id, ...forms, ...others].join('\n'),
    askable: onlyWithSettings || tests.length > 0,
    lines: [
      `${test.name}: ${wordsFor(test)} [${id}]`,
      ...forms.map((line) => `  ${line}`),
      ...(others.length === 0 ? [] : [`  ${whatElse(onlyWithSettings)}: ${listed(others)}`]),
    ],
  };
}

function wordsFor({ was, is, inNewForm }: LostTest): string {
  const then =
    was === 'passed' ? 'passed at the start' : was === 'failed' ? 'failed at the start' : 'of the start';
  const now = { failed: 'fails', skipped: 'is skipped', missing: 'is not run' }[is];
  const fresh = inNewForm === 'fails' ? '' : `; as it is now it ${inNewForm}`;
  return `${then}; as it was then it ${now} on your code${fresh}`;
}

function whatElse(onlyWithSettings: boolean): string {
  return onlyWithSettings ? 'it passes only with the changed' : 'changed since the start';
}

function formsOf(name: string, { textsThen, textsNow }: Trees): [TestForm | undefined, TestForm | undefined] {
  const was = formOf(name, textsThen);
  const path = was?.path ?? fileOf(name, textsNow.keys());
  const own = path === undefined ? undefined : textsNow.get(path);
  const is = path !== undefined && own !== undefined ? formOf(name, new Map([[path, own]])) : undefined;
  return [was, is ?? formOf(name, textsNow)];
}

function placed(was: TestForm | undefined, is: TestForm | undefined): string[] {
  if (!was || differingLines(was, is).length === 0) return [];
  const now = is === undefined ? 'now gone' : `now ${is.path}:${is.line}`;
  return [`then ${was.path}:${was.line}, ${now}`];
}

function redirected(name: string): Finding {
  const id = `dependency: ${name}`;
  return {
    id,
    about: id,
    askable: true,
    lines: [
      `${name} came from the registry at the start and comes from elsewhere now (package.json) [${id}]`,
    ],
  };
}

function nothingShown(added: readonly string[]): Finding {
  const id = 'new_tests';
  return {
    id,
    about: [id, ...added].join('\n'),
    askable: true,
    lines: [
      `none of the new tests fails on the code of the start, so that they show nothing of what you did [${id}]`,
      ...added.slice(0, MOST_NAMED).map((name) => `  passes there, too: ${name}`),
    ],
  };
}

/** Changed code that is not tested, where the contract names a share. */
export function findingsInChange(change: ChangeFinding | undefined): Finding[] {
  if (change?.outcome !== 'fail') return [];
  const lines = [`${change.summary} [change]`, ...change.evidence.map((line) => `  ${line}`)];
  return [{ id: 'change', about: lines.join('\n'), askable: true, lines, summary: change.summary }];
}

const MOST_NAMED = 8;

export function listed(names: readonly string[], most = MOST_NAMED): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
