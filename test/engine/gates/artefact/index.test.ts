import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { GateOptions } from '../../../../src/engine/core/contract/gate-options.ts';
import { artefactGate, writtenText } from '../../../../src/engine/gates/artefact/index.ts';
import { type Files, workScene } from '../../../support/gates/work-scene.ts';
import { workMs } from '../../../support/work-time.ts';

const options = (more: Partial<GateOptions['artefact']> = {}): GateOptions['artefact'] => ({
  file: 'PLAN.md',
  has: [],
  words: 5,
  ...more,
});
const COMPLEXITY = [{ name: 'complexity', pattern: 'complexity: *\\d+' }];
const TEXT = 'First the parser, then the printer, then both together.';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Judges what these files are after a start with those. */
async function judged(before: Files, after: Files, more: Partial<GateOptions['artefact']> = {}) {
  const work = await workScene({ 'README.md': 'a project\n', ...before });
  const frozen = await artefactGate.freeze?.(options(more), work);
  work.change(after);
  return work.judge(artefactGate, options(more), { frozen, answers: {} });
}

describe('what was written down', () => {
  test('passes, with the digest of what was judged', async () => {
    const judgement = await judged({}, { 'PLAN.md': `# Plan\n\n${TEXT}\n` });
    expect(judgement).toEqual({
      outcome: 'pass',
      summary: 'PLAN.md: 9 words',
      proof: { outputSha256: sha256(`# Plan\n\n${TEXT}`) },
    });
  });

  test('in a file that was there counts when it is new there', async () => {
    expect(await judged({ 'PLAN.md': '# Plan\n' }, { 'PLAN.md': `# Plan\n${TEXT}\n` })).toMatchObject({
      outcome: 'pass',
    });
  });

  test('before the start is no proof', async () => {
    expect(await judged({ 'PLAN.md': TEXT }, { 'other.md': 'x' })).toMatchObject({
      outcome: 'fail',
      summary: 'PLAN.md: it was there when the work began, and nothing was written since',
    });
  });

  test('before the start is no proof for a section, whatever else of the file was changed', async () => {
    const section = `## Plan\n\n${TEXT}\n`;
    const before = { 'PLAN.md': `# All\n\n${section}` };
    const after = { 'PLAN.md': `# All, and more\n\nMore words.\n\n${section}\n## Other\n\nEven more.\n` };
    expect(await judged(before, after, { section: 'Plan' })).toMatchObject({
      outcome: 'fail',
      summary: expect.stringContaining('nothing was written since'),
    });
  });

  test('is found where git ignores it, and known when it was there before', async () => {
    const ignored = { '.gitignore': 'notes/\n' };
    const file = { file: 'notes/plan.md' };
    expect(await judged(ignored, { 'notes/plan.md': TEXT }, file)).toMatchObject({ outcome: 'pass' });
    const there = { ...ignored, 'notes/plan.md': TEXT };
    expect(await judged(there, { 'other.md': 'x' }, file)).toMatchObject({ outcome: 'fail' });
  });

  test('is missing when there is no file, no section, or no file that a glob fits', async () => {
    const summary = async (after: Files, more: Partial<GateOptions['artefact']> = {}) =>
      (await judged({}, after, more)).summary;
    expect(await summary({})).toBe('PLAN.md is missing');
    expect(await summary({ 'PLAN.md': TEXT }, { section: 'Review' })).toBe('PLAN.md has no section "Review"');
    expect(await summary({}, { file: 'plans/*.md' })).toBe('there is no file that fits plans/*.md');
    const { next } = await judged({}, {}, { section: 'Review', has: COMPLEXITY });
    expect(next).toBe(
      'Next: write PLAN.md, below the heading "Review": at least 5 words, with a line that fits /complexity: *\\d+/.',
    );
  });

  test('of a glob is the newest file', async () => {
    const judgement = await judged(
      { 'plans/old.md': TEXT },
      { 'plans/new.md': TEXT },
      { file: 'plans/*.md' },
    );
    expect(judgement).toMatchObject({ outcome: 'pass', summary: 'plans/new.md: 9 words' });
  });

  test('cannot be told from what was there without a start, a commit or a frozen state', async () => {
    const work = await workScene({ '.gitignore': 'PLAN.md\n' });
    work.change({ 'PLAN.md': TEXT });
    expect(await work.judge(artefactGate, options())).toMatchObject({
      outcome: 'unproven',
    });
  });

  test('outside of a loop cannot be told where git ignores it', async () => {
    const work = await workScene({ '.gitignore': 'PLAN.md\n' });
    work.change({ 'PLAN.md': TEXT });
    const frozen = await artefactGate.freeze?.(options(), work);
    expect(await work.judge(artefactGate, options(), { frozen })).toMatchObject({ outcome: 'unproven' });
  });

  test('by untildone itself into notes is nothing that the work left behind', async () => {
    const notes = (status: string) =>
      `Notes.\n\n<!-- untildone:begin -->\n- Loop: many words that nobody wrote, ${status}\n<!-- untildone:end -->\n`;
    const judgement = await judged({ 'PLAN.md': notes('active') }, { 'PLAN.md': notes('ended') });
    expect(judgement).toMatchObject({
      outcome: 'fail',
      summary:
        'PLAN.md: it was there when the work began, and nothing was written since; it has 1 of the 5 words that are asked for',
    });
  });
});

describe('words', () => {
  const words = (text: string) => writtenText(text)?.words;

  test.each([
    ['# Only a heading\n\n## And another', 0],
    ['A title\n=======\n\nOne more\n---', 0],
    ['TODO', 0],
    ['- [ ] TBD', 0],
    ['TODO: describe why this approach was taken', 0],
    ['Approach: TBD by somebody', 1],
    ['<describe the approach here>', 0],
    ['{{ approach }} and [... more of it]', 1],
    ['...\n…\n____', 0],
    ['<!-- a comment\nover lines -->', 0],
    ['We took out the TODO here', 5],
    ['if a < b and c > d', 6],
    ['Zwei Wörter', 2],
    ['計画 を 書く', 3],
    ['```\nnpm test\n# not a heading\n```', 5],
    ['- one\n- two', 2],
  ])('of %j', (text, count) => {
    expect(words(text)).toBe(count);
  });

  test('that are too few fail, with how many there are', async () => {
    expect(
      await judged({}, { 'PLAN.md': '# Plan\n\nTODO: everything that is to be said\nIt is short.' }),
    ).toMatchObject({ outcome: 'fail', summary: 'PLAN.md: it has 3 of the 5 words that are asked for' });
  });
});

describe('patterns', () => {
  test('have to fit a line', async () => {
    const more = { has: COMPLEXITY };
    const judgement = await judged({}, { 'PLAN.md': `${TEXT}\ncomplexity: high\n` }, more);
    expect(judgement).toMatchObject({
      outcome: 'fail',
      summary: 'PLAN.md: it lacks "complexity"',
      evidence: ['complexity: no line fits /complexity: *\\d+/'],
    });
    expect(await judged({}, { 'PLAN.md': `${TEXT}\ncomplexity: 8\n` }, more)).toMatchObject({
      outcome: 'pass',
      summary: 'PLAN.md: 11 words, has "complexity"',
    });
  });

  test.each(['<complexity: 1 to 10>', '<!-- complexity: 5 -->', 'TODO complexity: 5'])(
    'are not met by %s',
    async (line) => {
      const judgement = await judged({}, { 'PLAN.md': `${TEXT}\n${line}\n` }, { has: COMPLEXITY });
      expect(judgement.summary).toBe('PLAN.md: it lacks "complexity"');
    },
  );

  test('look only below the heading', async () => {
    const text = `complexity: 7\n\n# Review\n\n${TEXT}\n`;
    const judgement = await judged({}, { 'PLAN.md': text }, { section: 'Review', has: COMPLEXITY });
    expect(judgement.summary).toBe('PLAN.md, section "Review": it lacks "complexity"');
  });

  test('that cannot be matched in linear time are not used', async () => {
    const has = [{ name: 'slow', pattern: '(?<=a)b' }];
    expect(await judged({}, { 'PLAN.md': TEXT }, { has })).toMatchObject({ outcome: 'unproven' });
  });

  test('do not take for ever over one very long line', async () => {
    const has = [{ name: 'four', pattern: 'a+b+c+d+e' }];
    const began = workMs();
    await judged({}, { 'PLAN.md': `${'a'.repeat(1_000_000)}\n${TEXT}` }, { has });
    expect(workMs() - began).toBeLessThan(20_000);
  });
});
