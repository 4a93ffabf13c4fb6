import { oneLine } from '../../../engine/core/text/clip.ts';
import { redact } from '../../../engine/core/text/redact.ts';
import type { Finding, FindingType } from '../findings/finding.ts';
import { findingMarkdown } from '../findings/words.ts';

/** An issue about a finding, before anybody agreed to it. */
export interface IssueDraft {
  title: string;
  body: string;
  /** What to add to an issue about the same finding that is still open. */
  comment: string;
  labels: readonly string[];
  fingerprint: string;
}

export const LABELS: readonly { name: string; color: string; description: string }[] = [
  { name: 'improvement', color: 'a2eeef', description: 'Something that could work better' },
  { name: 'automation', color: '0e8a16', description: 'Could be done by a script or a rule' },
  { name: 'reflection', color: '5319e7', description: 'Found by untildone reflect' },
];
/** By this label issues of earlier reflections are found again. */
export const OWN_LABEL = 'reflection';

const MOST_TITLE = 120;

export function draftOf(finding: Finding): IssueDraft {
  const { type, fields, severity, fingerprint } = finding;
  const title = oneLine(redact(`Improvement: ${TITLES[type](fields)}`), MOST_TITLE);
  const details = findingMarkdown(finding);
  return {
    title,
    labels: LABELS.map(({ name }) => name),
    fingerprint,
    body: redact(
      [
        '## What was found',
        '',
        `**${type.toUpperCase()}**, severity ${severity}.`,
        '',
        ...details,
        'Found by `untildone reflect` in transcripts of Claude Code and in journals of loops. The lines are those of the transcripts on the machine of whoever filed this.',
        '',
        fingerprintMark(fingerprint),
        '',
      ].join('\n'),
    ),
    comment: redact(['Found again:', '', ...details].join('\n')),
  };
}

/** Nobody sees it on the page; an issue about the same finding is recognised by it. */
export function fingerprintMark(fingerprint: string): string {
  return `<!-- untildone-reflection: ${fingerprint} -->`;
}

type Fields = Finding['fields'];

/** Without counts: the same finding has the same title another time. */
const TITLES: Readonly<Record<FindingType, (fields: Fields) => string>> = {
  repeated_tool_use: ({ tool }) => `Consider creating script for repeated ${tool} commands`,
  repeated_command: ({ command }) => `Put a repeated command into a script: ${command}`,
  error_patterns: ({ error }) => `Find the cause of a repeated error: ${error}`,
  long_session: () => 'Consider breaking long sessions into smaller, focused tasks',
  user_frustration: () => 'Look at what frustrated the user',
  repeated_reads: ({ file }) => `Describe or split a file that is read again and again: ${file}`,
  reverted_edits: ({ file }) => `Plan changes first: edits were taken back in ${file}`,
  tests_without_change: ({ command }) => `Keep the output of tests, or mend flaky ones: ${command}`,
  tool_denials: ({ tool }) => `Settle what ${tool} may do: calls are refused`,
  compactions: () => 'Give each part of the work a session of its own: the context ran full',
  slow_turns: () => 'Optimize prompts or break down complex requests: answers take long',
  api_errors: () => 'Look into errors of the API',
  rate_limits: () => 'Avoid rate limits of the API',
  slow_requests: () => 'Optimize prompts or break down complex requests: requests take long',
  blocking_gate: ({ gate }) => `Have the agent run what the gate ${gate} runs before it finishes`,
  repeated_reason: ({ reason }) => `Help the agent past what held it again and again: ${reason}`,
  many_iterations: () => 'Divide tasks that take many iterations',
  stalls: () => 'Find out why the work stood still',
  cheat_attempts: () => 'Look at ways around the gates that were tried',
};
