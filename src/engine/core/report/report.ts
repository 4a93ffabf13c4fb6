import type { Verdict } from '../loop/verdict.ts';
import type { Finding } from './findings.ts';

/** A judging without a loop, as it is told to others. */
export interface Report {
  /** 0 done, 1 not done, 2 could not be judged. */
  exitCode: number;
  /** The result in one line. */
  words: string;
  verdicts: readonly Verdict[];
  notJudged: readonly { gate: string; reason: string }[];
  findings: readonly Finding[];
  contract: ReportedContract;
}

/** The contract by which work was judged. */
export interface ReportedContract {
  file: string;
  /** The commit that it was taken from, where it is not the file of the project. */
  from?: { name: string; commit: string };
  /** That commit has no contract: that of the project was taken. */
  isMissingThere?: boolean;
  /** What is different here: the contract itself, and what its commands run. */
  changed: readonly ChangedText[];
  /** Why it is not known whether what its commands run is different. */
  unknown?: string;
}

export interface ChangedText {
  name: string;
  /** Lines of a diff. */
  diff: readonly string[];
}

/** What you should know about the contract, a line each. */
export function contractNotes({ file, from, isMissingThere, changed, unknown }: ReportedContract): string[] {
  if (!from) return [];
  if (isMissingThere)
    return [`${from.name} has no ${file}: the work was judged by the contract that it brings along`];
  const own = changed.some(({ name }) => name === file);
  const parts = changed.filter(({ name }) => name !== file).map(({ name }) => name);
  return [
    ...(own
      ? [
          `${file} is changed here. The work was judged by the contract of ${from.name}; the changed one counts once it is there`,
        ]
      : []),
    ...(parts.length > 0
      ? [`what the contract runs is changed here, and the changed form was run: ${parts.join(', ')}`]
      : []),
    ...(unknown === undefined ? [] : [unknown]),
  ];
}
