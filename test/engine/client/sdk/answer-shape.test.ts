import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { mismatchOf } from '../../../../src/engine/client/sdk/answer-shape.ts';
import { OPINION_SCHEMA, OPINION_WITH_EVIDENCE_SCHEMA } from '../../../../src/engine/gates/judge/opinion.ts';
import type { AnswerShape } from '../../../../src/engine/ports/ports.ts';

/** What zod, as a second opinion, says of the same answer. */
function zodSays(value: unknown, shape: AnswerShape): string | undefined {
  const parsed = z.fromJSONSchema(shape as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value);
  const issue = parsed.error?.issues[0];
  return issue && `${issue.path.join('.') || 'the answer'}: ${issue.message}`;
}

/** Objects in a list in an object. */
const PROPOSAL_SCHEMA: AnswerShape = {
  type: 'object',
  properties: {
    summary: { type: 'string' },
    edits: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          file: { type: 'string', enum: ['untildone.yaml', 'CLAUDE.md'] },
          why: { type: 'string' },
          old: { type: 'string' },
          new: { type: 'string' },
        },
        required: ['file', 'why', 'old', 'new'],
      },
    },
  },
  required: ['summary', 'edits'],
};

const opinion = { verdict: 'pass', reason: 'it does', missing: [] };
const edit = { file: 'untildone.yaml', why: 'a', old: 'b', new: 'c' };

const ANSWERS: readonly (readonly [string, AnswerShape, readonly unknown[]])[] = [
  [
    'an opinion',
    OPINION_SCHEMA,
    [
      opinion,
      { ...opinion, missing: ['a', 'b'] },
      ...['yes', null, [], 1, undefined, {}],
      ...[
        { ...opinion, verdict: 'perhaps' },
        { ...opinion, verdict: 1 },
        { ...opinion, verdict: null },
      ],
      ...[{ ...opinion, reason: undefined }, { ...opinion, reason: null }, { verdict: 'pass' }],
      ...[
        { ...opinion, missing: 'a' },
        { ...opinion, missing: ['a', 1] },
        { ...opinion, missing: null },
      ],
      ...[
        { ...opinion, more: 1 },
        { ...opinion, more: 1, most: 2 },
        { ...opinion, reason: 1, more: 1 },
      ],
    ],
  ],
  [
    'an opinion with evidence',
    OPINION_WITH_EVIDENCE_SCHEMA,
    [opinion, { ...opinion, evidence: ['npm test, 0'] }, { ...opinion, evidence: [[]] }],
  ],
  [
    'a proposal',
    PROPOSAL_SCHEMA,
    [
      ...[
        { summary: 'a', edits: [] },
        { summary: 'a', edits: [edit] },
        { summary: 'a', edits: [edit], x: 1 },
      ],
      ...[
        { summary: 'a', edits: [edit, { ...edit, file: '/etc/passwd' }] },
        { summary: 'a', edits: [null] },
      ],
      ...[{ summary: 'a', edits: [{ ...edit, old: undefined }] }, { summary: 'a', edits: {} }, { edits: [] }],
    ],
  ],
];

describe.each(ANSWERS)('%s', (_, shape, answers) => {
  test.each(answers.map((answer) => [JSON.stringify(answer) ?? 'nothing', answer] as const))(
    '%s is judged as zod judges it',
    (_, answer) => {
      expect(mismatchOf(answer, shape)).toBe(zodSays(answer, shape));
    },
  );
});
