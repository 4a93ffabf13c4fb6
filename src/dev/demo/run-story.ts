/** The demo of a run as data: four small pieces of work, more than the script's sessions have room for. */
import { join } from 'node:path';
import type { Turn } from '../simulator/script.ts';
import type { Story } from './story.ts';

export interface RunStory extends Story {
  task: string;
  /** What the person types behind `untildone run`. */
  flags: readonly string[];
  /** What each session but the last leaves for the next one. */
  notes: readonly string[];
}

const TEST = 'node --test';
const TASK = 'Write the four functions that the tests ask for';

const moduleOf = (name: string, signature: string, body: string) =>
  `export function ${name}(${signature}) {\n  ${body}\n}\n`;

const HASTY = "return text.slice(0, length) + '…';";
const CAREFUL = "return text.length <= length ? text : text.slice(0, length - 1) + '…';";

const SLUG = moduleOf(
  'slug',
  'text',
  "return text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');",
);
const SHORTEN = moduleOf('shorten', 'text, length', HASTY);
const WORDS = moduleOf('words', 'text', 'return text.split(/\\s+/).filter((word) => word).length;');
const TITLE = moduleOf(
  'title',
  'text',
  'return text.replace(/\\b[a-z]/g, (letter) => letter.toUpperCase());',
);

/** What is to be tested is loaded inside of the test: as long as it is missing, the test fails by its own name. */
const testOf = (name: string, says: string, examples: string) => `import assert from 'node:assert/strict';
import { test } from 'node:test';

test('${says}', async () => {
  const { ${name} } = await import('../src/${name}.js');
${examples}
});
`;

const TESTS = {
  'test/slug.test.js': testOf(
    'slug',
    'a slug is made of letters, digits and single dashes',
    "  assert.equal(slug('Hello, World!'), 'hello-world');",
  ),
  'test/shorten.test.js': testOf(
    'shorten',
    'a text is never longer than asked for',
    "  assert.equal(shorten('short', 10), 'short');\n  assert.equal(shorten('much too long', 6), 'much …');",
  ),
  'test/words.test.js': testOf(
    'words',
    'words are counted, blanks are not',
    "  assert.equal(words('  one two  three '), 3);\n  assert.equal(words(''), 0);",
  ),
  'test/title.test.js': testOf(
    'title',
    'every word of a title begins with a capital',
    "  assert.equal(title('a tale of two cities'), 'A Tale Of Two Cities');",
  ),
};

const CONTRACT = `# Done means: every function passes its test, and the tests were not weakened.
gates:
  slug:    { run: ${TEST} test/slug.test.js }
  shorten: { run: ${TEST} test/shorten.test.js }
  words:   { run: ${TEST} test/words.test.js }
  title:   { run: ${TEST} test/title.test.js }
  intact:  { tests_intact: true }
limits:    { iterations: 20, cost_usd: 5 }
`;

const PACKAGE = { name: 'text-tools', private: true, type: 'module', scripts: { test: TEST } };

const NOTES = [
  `Done: src/slug.js and src/shorten.js; the checks say that their tests pass.
Not done: src/words.js and src/title.js, neither is begun.
Tried: cutting first and adding the dots after it makes shorten one too long.
Next: src/words.js; test/words.test.js says what it has to do.`,
  `Done: slug, shorten and words; the checks say that their tests pass.
Not done: src/title.js is missing.
Next: read test/title.test.js and write it.`,
] as const;

/** What the API reports of a conversation of this size. Most of it was read before, and costs a tenth. */
function filled(context: number): Pick<Turn, 'usage'> {
  const fresh = { input_tokens: 200, cache_creation_input_tokens: 1_800, output_tokens: 300 };
  return { usage: { ...fresh, cache_read_input_tokens: context - 2_000 } };
}

/** Of 200,000 tokens; a run leaves a session from 160,000 on. */
const FULL = filled(163_000);

export const RUN_STORY: RunStory = {
  files: {
    'untildone.yaml': CONTRACT,
    'package.json': `${JSON.stringify(PACKAGE, null, 2)}\n`,
    ...TESTS,
  },
  commit: 'Tests for four functions that nobody has written yet',
  test: TEST,
  task: TASK,
  flags: ['--allow', `Bash(${TEST}:*)`, '--model', 'claude-sonnet-4-5'],
  notes: NOTES,
  turns: (project) => {
    const write = (name: string, content: string) => {
      return { name: 'Write', input: { file_path: join(project, 'src', `${name}.js`), content } };
    };
    const correct = {
      file_path: join(project, 'src', 'shorten.js'),
      old_string: HASTY,
      new_string: CAREFUL,
    };
    return [
      { text: 'I begin with the slug.', tools: [write('slug', SLUG)], ...filled(21_000) },
      { text: 'The slug is written. Everything is done.', ...filled(24_000) },
      { text: 'There are three more.', tools: [write('shorten', SHORTEN)], ...filled(88_000) },
      { text: 'shorten is there, too. Done.', ...filled(92_000) },
      { text: 'The dots take room as well.', tools: [{ name: 'Edit', input: correct }], ...filled(158_000) },
      { text: 'Now shorten is right.', ...FULL },
      { text: NOTES[0], ...FULL },
      { text: 'As the note says: words come next.', tools: [write('words', WORDS)], ...filled(26_000) },
      { text: 'The words are counted.', ...FULL },
      { text: NOTES[1], ...FULL },
      {
        tools: [{ name: 'Read', input: { file_path: join(project, 'test', 'title.test.js') } }],
        ...filled(23_000),
      },
      { text: 'Only the title is left.', tools: [write('title', TITLE)], ...filled(25_000) },
      { tools: [{ name: 'Bash', input: { command: TEST } }], ...filled(27_000) },
      { text: 'All four functions are there, and their tests pass.', ...filled(29_000) },
    ];
  },
  untouched: ['package.json', ...Object.keys(TESTS), 'untildone.yaml'],
  ending: 'verified_done',
};
