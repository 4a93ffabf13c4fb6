import { rmSync, utimesSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Utterance } from '../../../../src/engine/core/loop/transcript.ts';
import { checklistGate, findItems } from '../../../../src/engine/gates/checklist/index.ts';
import { makeProject, noAbort, type TestProject } from '../../../support/gates/project.ts';

let project: TestProject;
beforeEach(() => {
  project = makeProject();
});
afterEach(() => project.remove());

interface Options {
  file?: string;
  section?: string;
}

async function freeze(options: Options = { file: 'PLAN.md' }): Promise<unknown> {
  return checklistGate.freeze?.(options, project.freezing());
}

async function judge(frozen?: unknown, options: Options = { file: 'PLAN.md' }, lastMessage?: string) {
  const context = project.context({ frozen, ...(lastMessage === undefined ? {} : { lastMessage }) });
  return checklistGate.judge(options, context, noAbort);
}

const texts = (markdown: string, section?: string) => findItems(markdown, section)?.map((item) => item.text);

describe('items', () => {
  test('may be written and nested in every way of Markdown', () => {
    const markdown = '- [ ] a\n* [x] b\n+ [X] c\n1. [ ] d\n2) [x] e\n    - [ ] f\n\t- [ ]   g  \n';
    expect(findItems(markdown)).toEqual([
      { text: 'a', ticked: false, line: 1 },
      { text: 'b', ticked: true, line: 2 },
      { text: 'c', ticked: true, line: 3 },
      { text: 'd', ticked: false, line: 4 },
      { text: 'e', ticked: true, line: 5 },
      { text: 'f', ticked: false, line: 6 },
      { text: 'g', ticked: false, line: 7 },
    ]);
  });

  test.each(['- [] a', '- [ ]', '-[ ] a', '[ ] a', '- [y] a', 'text - [ ] a', '- \\[ ] a'])(
    '%s is none',
    (line) => {
      expect(findItems(line)).toEqual([]);
    },
  );

  test('in code fences and comments are none', () => {
    const markdown = [
      '```md',
      '- [ ] in a fence',
      '``',
      '- [ ] still in it',
      '```',
      '~~~~',
      '- [ ] in tildes',
      '```',
      '~~~~',
      '<!-- - [ ] in a comment -->',
      '<!--',
      '- [ ] in a long comment',
      '```',
      '-->',
      '- ```',
      '  - [ ] in a fence in a list',
      '  ```',
      '- [ ] real <!-- with a note -->',
    ].join('\n');
    expect(findItems(markdown)).toEqual([{ text: 'real', ticked: false, line: 18 }]);
  });

  test('after inline code with three backticks are items', () => {
    expect(texts('```code``` in a line\n- [ ] a')).toEqual(['a']);
  });

  test('of Windows files are the same', () => {
    expect(texts('- [ ] a\r\n- [x] b\r\n')).toEqual(['a', 'b']);
  });
});

describe('a section', () => {
  const markdown = [
    '# Plan',
    '- [ ] before',
    '## **Now** ##',
    '- [ ] a',
    '### Details',
    '- [ ] b',
    '## Later',
    '- [ ] c',
    '## Now',
    '- [ ] d',
    'Ideas',
    '=====',
    '- [ ] e',
  ].join('\n');

  test('ends at the next heading of its level or above', () => {
    expect(texts(markdown, 'Now')).toEqual(['a', 'b', 'd']);
    expect(texts(markdown, 'now')).toEqual(['a', 'b', 'd']);
    expect(texts(markdown, '## Now')).toEqual(['a', 'b', 'd']);
    expect(texts(markdown, 'Details')).toEqual(['b']);
    expect(texts(markdown, 'Ideas')).toEqual(['e']);
    expect(texts(markdown, 'Plan')).toEqual(['before', 'a', 'b', 'c', 'd']);
  });

  test('whose heading is missing, or only stands in a fence, is not found', () => {
    expect(texts(markdown, 'Never')).toBeUndefined();
    expect(texts('```\n# Now\n```\n- [ ] a', 'Now')).toBeUndefined();
  });

  test('that is missing in the file fails', async () => {
    project.write('PLAN.md', markdown);
    expect(await judge(undefined, { file: 'PLAN.md', section: 'Never' })).toMatchObject({
      outcome: 'fail',
      summary: 'PLAN.md has no section "Never"',
    });
  });

  test('without items fails, though others have some', async () => {
    project.write('PLAN.md', '# Empty\n# Full\n- [x] a\n');
    expect(await judge(undefined, { file: 'PLAN.md', section: 'Empty' })).toMatchObject({
      outcome: 'fail',
      summary: 'no checklist items found in the section "Empty" of PLAN.md',
    });
  });
});

describe('a file', () => {
  test('with everything ticked passes', async () => {
    project.write('PLAN.md', '- [x] a\n- [X] b\n');
    expect(await judge(await freeze())).toEqual({ outcome: 'pass', summary: '2 of 2 items are ticked' });
  });

  test('with open items fails with their places and the next one', async () => {
    project.write('PLAN.md', '# Plan\n\n- [x] a\n- [ ] write tests\n- [ ] ship\n');
    const judgement = await judge(await freeze());
    expect(judgement).toMatchObject({
      outcome: 'fail',
      summary: '1 of 3 items are ticked; next: write tests',
      evidence: ['PLAN.md:4: - [ ] write tests', 'PLAN.md:5: - [ ] ship'],
    });
    expect(judgement.next).toContain('write tests');
    expect(judgement.next).toContain('PLAN.md:4');
  });

  test('without items, or missing, fails', async () => {
    expect(await judge()).toMatchObject({ outcome: 'fail', summary: 'PLAN.md is missing' });
    project.write('PLAN.md', 'all done');
    expect(await judge()).toMatchObject({ outcome: 'fail', summary: 'no checklist items found in PLAN.md' });
  });
});

describe('an item that was there at the start', () => {
  test('and was removed fails by name', async () => {
    project.write('PLAN.md', '- [ ] a\n- [ ] hard one\n');
    const frozen = await freeze();
    project.write('PLAN.md', '- [x] a\n');
    const judgement = await judge(frozen);
    expect(judgement).toMatchObject({ outcome: 'fail' });
    expect(judgement.summary).toContain('"hard one" was removed or rewritten: put it back');
  });

  test('and was rewritten fails by its old name', async () => {
    project.write('PLAN.md', '- [ ] all tests pass\n');
    const frozen = await freeze();
    project.write('PLAN.md', '- [x] most tests pass\n');
    expect((await judge(frozen)).summary).toContain('"all tests pass" was removed');
  });

  test('and was hidden in a comment fails', async () => {
    project.write('PLAN.md', '- [ ] a\n- [x] b\n');
    const frozen = await freeze();
    project.write('PLAN.md', '<!-- - [ ] a -->\n- [x] b\n');
    expect(await judge(frozen)).toMatchObject({ outcome: 'fail' });
  });

  test('twice has to be there twice', async () => {
    project.write('PLAN.md', '- [ ] review\n- [ ] review\n');
    const frozen = await freeze();
    project.write('PLAN.md', '- [x] review\n');
    expect((await judge(frozen)).evidence).toEqual(['"review" was removed or rewritten: put it back']);
  });

  test('may be moved, emphasised and ticked, and others may be added', async () => {
    project.write('PLAN.md', '- [ ] a\n- [ ] **b**  c\n');
    const frozen = await freeze();
    project.write('PLAN.md', '# Done\n  * [x] b c\n1. [x] a\n- [x] new\n');
    expect(await judge(frozen)).toMatchObject({ outcome: 'pass', summary: '3 of 3 items are ticked' });
  });

  test('may be moved out of its section when it is ticked, and stays open when it is not', async () => {
    const options = { file: 'PLAN.md', section: 'Now' };
    project.write('PLAN.md', '# Now\n- [ ] a\n- [ ] b\n# Done\n');
    const frozen = await freeze(options);
    project.write('PLAN.md', '# Now\n- [x] b\n# Done\n- [x] a\n');
    expect(await judge(frozen, options)).toMatchObject({ outcome: 'pass' });
    project.write('PLAN.md', '# Now\n- [x] b\n# Some day\n- [ ] a\n');
    expect(await judge(frozen, options)).toMatchObject({
      outcome: 'fail',
      summary: '1 of 2 items are ticked; next: a',
    });
  });

  test('keeps the file from passing without its section', async () => {
    const options = { file: 'PLAN.md', section: 'Now' };
    project.write('PLAN.md', '# Now\n- [ ] a\n');
    const frozen = await freeze(options);
    project.write('PLAN.md', '# Done\n- [x] b\n');
    expect((await judge(frozen, options)).evidence).toEqual(['PLAN.md: "a" was removed: put it back']);
  });
});

describe('without a file', () => {
  test('the list of the final message counts', async () => {
    expect(await judge(undefined, {}, 'Done:\n- [x] a\n- [x] b')).toMatchObject({ outcome: 'pass' });
    expect(await judge(undefined, {}, 'So far:\n- [x] a\n- [ ] b')).toMatchObject({
      outcome: 'fail',
      evidence: ['- [ ] b'],
    });
  });

  test('and without a list nothing is proven', async () => {
    expect(await judge(undefined, {}, 'All done!')).toMatchObject({ outcome: 'unproven' });
    expect(await judge(undefined, {})).toMatchObject({ outcome: 'unproven' });
  });
});

describe('the latest list of the conversation', () => {
  const said = (who: Utterance['who'], text: string): Utterance => ({ who, text, tools: [] });
  const judgeAfter = (conversation: Utterance[], lastMessage?: string) =>
    checklistGate.judge(
      {},
      project.context({
        conversation: () => conversation,
        ...(lastMessage === undefined ? {} : { lastMessage }),
      }),
      noAbort,
    );

  test('counts, not the ones that were open before it', async () => {
    const conversation = [
      said('person', 'Please:\n- [ ] one\n- [ ] two'),
      said('agent', '- [x] one\n- [ ] two'),
      said('agent', '- [x] one\n- [x] two'),
      said('agent', 'Anything else?'),
    ];
    expect(await judgeAfter(conversation, 'Anything else?')).toMatchObject({
      outcome: 'pass',
      summary: '2 of 2 items are ticked',
    });
    expect(await judgeAfter(conversation.slice(0, 2), 'I am done.')).toMatchObject({
      outcome: 'fail',
      evidence: ['- [ ] two'],
    });
  });

  test('may be that of the person, when the agent never wrote one', async () => {
    const conversation = [said('person', '- [ ] one'), said('agent', 'I am done.')];
    expect(await judgeAfter(conversation, 'I am done.')).toMatchObject({ outcome: 'fail' });
  });

  test('is the one of the final message where that has one', async () => {
    expect(await judgeAfter([said('agent', '- [ ] one')], '- [x] one')).toMatchObject({ outcome: 'pass' });
  });

  test('without any, nothing is proven', async () => {
    expect(await judgeAfter([said('agent', 'array[ ] = 1')], 'Done.')).toMatchObject({ outcome: 'unproven' });
    expect(await judgeAfter([])).toMatchObject({ outcome: 'unproven' });
  });
});

describe('a plan named by a glob', () => {
  const glob = { file: 'docs/plans/*/PLAN.md' };
  const plan = (name: string, text: string, age: number) => {
    const path = `docs/plans/${name}/PLAN.md`;
    project.write(path, text);
    utimesSync(`${project.root}/${path}`, age, age);
  };

  test('is the newest file that fits', async () => {
    plan('old', '- [ ] a', 1000);
    plan('new', '- [x] b', 2000);
    expect(await judge(undefined, glob)).toMatchObject({
      outcome: 'pass',
      summary: '1 of 1 items are ticked',
    });
    plan('old', '- [ ] a', 3000);
    expect(await judge(undefined, glob)).toMatchObject({
      outcome: 'fail',
      evidence: ['docs/plans/old/PLAN.md:1: - [ ] a'],
    });
  });

  test('fails where no file fits', async () => {
    expect(await judge(undefined, glob)).toMatchObject({
      outcome: 'fail',
      summary: 'there is no file that fits docs/plans/*/PLAN.md',
    });
  });

  test('that was the newest at the start still counts when a newer one is written', async () => {
    plan('first', '- [ ] a', 1000);
    const frozen = await freeze(glob);
    expect(frozen).toEqual({ file: 'docs/plans/first/PLAN.md', items: ['a'] });
    plan('second', '- [x] b', 2000);
    expect(await judge(frozen, glob)).toMatchObject({
      outcome: 'fail',
      evidence: ['docs/plans/first/PLAN.md:1: - [ ] a'],
    });
    plan('first', '- [x] a', 1500);
    expect(await judge(frozen, glob)).toMatchObject({ outcome: 'pass' });
    plan('second', '- [ ] b', 2500);
    expect(await judge(frozen, glob)).toMatchObject({ outcome: 'fail' });
  });

  test('cannot be got rid of', async () => {
    plan('first', '- [ ] a', 1000);
    const frozen = await freeze(glob);
    plan('second', '- [x] b', 2000);
    rmSync(`${project.root}/docs/plans/first`, { recursive: true });
    expect(await judge(frozen, glob)).toMatchObject({
      outcome: 'fail',
      summary: 'docs/plans/first/PLAN.md is missing',
    });
  });
});
