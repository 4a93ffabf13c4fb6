import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPromise, keepsPromise, renderPromise } from '../../../../src/engine/core/loop/promise.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { isLong, rounds } from '../../../support/long.ts';

const TAG = '<promise>DONE</promise>';

/** What the message says, the message, the promise found in it. */
type Example = [behaviour: string, message: string, promise: string | undefined];

describe('what counts as a claim', () => {
  const examples: Example[] = [
    ['the tag is the whole message', TAG, 'DONE'],
    ['the tag is the last line', `All tests pass.\n\n${TAG}`, 'DONE'],
    ['the tag is the first line', `${TAG}\n\nHere is what I did.`, 'DONE'],
    ['the tag stands alone between paragraphs', `Before.\n\n${TAG}\n\nAfter.`, 'DONE'],
    ['the tag stands alone inside a paragraph', `Before.\n${TAG}\nAfter.`, 'DONE'],
    ['the tag ends the message after text on its line', `All tests pass. ${TAG}`, 'DONE'],
    ['a denial belongs to an earlier sentence', `It is not slow any more. ${TAG}`, 'DONE'],
    ['a denial stands on an earlier line', `I did not touch the docs\n\nNow: ${TAG}`, 'DONE'],
    ['white space follows the tag at the end', `All tests pass. ${TAG} \n\n`, 'DONE'],
    ['the tag spans lines', '<promise>\nALL\nDONE\n</promise>', 'ALL DONE'],
    ['the tag spans blank lines', '<promise>\n\nDONE\n\n</promise>', 'DONE'],
    ['a tag over two lines ends the message after text', 'Now: <promise>ALL\nDONE</promise>', 'ALL DONE'],
    ['the line is indented a little', `Text.\n\n   ${TAG}\n\nMore.`, 'DONE'],
    ['the line is indented inside a paragraph', `Text:\n      ${TAG}\nmore.`, 'DONE'],
    ['lines end with CRLF', `Text.\r\n${TAG}\r\nMore.\r\n`, 'DONE'],
    ['lines end with CR', `Text.\r${TAG}\rMore.`, 'DONE'],
    ['it is bold', `Text.\n**${TAG}**\nMore.`, 'DONE'],
    ['it is italic', `Text.\n_${TAG}_\nMore.`, 'DONE'],
    ['it is bold and italic', `Text.\n***${TAG}***\nMore.`, 'DONE'],
    ['it is bold and ends the message after text', `All is well: **${TAG}**`, 'DONE'],
    ['a full stop follows a tag that is alone on its line', `Text.\n${TAG}.\nMore.`, 'DONE'],
    ['an exclamation mark follows a bold tag that is alone', `Text.\n**${TAG}!**\nMore.`, 'DONE'],
    ['it is a list item', `- one\n- ${TAG}\n- three`, 'DONE'],
    ['it is a starred list item', `* ${TAG}\n* two`, 'DONE'],
    ['it is a numbered list item', `1. ${TAG}\n2. two`, 'DONE'],
    ['it is a nested list item', `- one\n  - ${TAG}\n- two`, 'DONE'],
    ['it belongs to a list item', `- one\n\n    ${TAG}\n\nMore.`, 'DONE'],
    ['it is a ticked box', `- [x] ${TAG}\n- [ ] more`, 'DONE'],
    ['it is a heading', `## ${TAG}\n\nMore.`, 'DONE'],
    ['it is a heading with closing marks', `## ${TAG} ##\n\nMore.`, 'DONE'],
    ['it follows a closed fence', `\`\`\`sh\nnpm test\n\`\`\`\n${TAG}\nMore.`, 'DONE'],
    ['it follows a closed longer fence', `~~~~\n~~~\n~~~~\n${TAG}\nMore.`, 'DONE'],
    [
      'it follows a fence in a list',
      `1. Run\n   \`\`\`sh\n   npm test\n   \`\`\`\n\n${TAG}\n\nMore.`,
      'DONE',
    ],
    ['it follows a block quote', `> a quote\n\n${TAG}\n\nMore.`, 'DONE'],
    ['it follows inline code', `Ran \`npm test\`.\n${TAG}\nMore.`, 'DONE'],
    ['it follows a backtick that opens nothing', `The \` key.\n${TAG}\nMore.`, 'DONE'],
    ['backticks of other paragraphs surround it', `The \` key.\n\n${TAG}\n\nThe \` key.`, 'DONE'],
    ['code of its paragraph stands before and after it', `Ran \`a\` and\n${TAG}\nand \`b\`.`, 'DONE'],
    ['backticks of other list items surround it', `- the \` key\n- ${TAG}\n- the \` key`, 'DONE'],
    ['it follows a line of code between three backticks', `\`\`\` a \`\`\`\n${TAG}\nMore.`, 'DONE'],
    ['inch marks of other paragraphs surround it', `A 5" screen.\n\n${TAG}\n\nA 6" screen.`, 'DONE'],
    ['it follows a quotation', `It said "ok".\n${TAG}\nMore.`, 'DONE'],
    ['it follows an inch mark', `A 5" screen.\n${TAG}\nMore.`, 'DONE'],
    [
      'it follows an indented example that looks like a fence',
      `Text.\n\n    \`\`\`\n\n${TAG}\n\nMore.`,
      'DONE',
    ],
    ['its text is code', '<promise>all `tests` pass</promise>', 'all `tests` pass'],
    ['its text holds a quotation', '<promise>say "hi"</promise>', 'say "hi"'],
    ['its text holds one inch mark', '<promise>5" works</promise>\nand 6" too', '5" works'],
    ['its text holds Markdown', '<promise>**DONE**</promise>', '**DONE**'],
    ['its text holds other tags', '<promise><b>DONE</b></promise>', '<b>DONE</b>'],
    ['its text is not Latin', '<promise>すべて完了 ✅ 🎉</promise>', 'すべて完了 ✅ 🎉'],
    ['an opened tag before it was never closed', `Then write <promise> and stop.\n${TAG}`, 'DONE'],
  ];
  it.each(examples)('%s', (_behaviour, message, promise) => {
    expect(findPromise(message)).toBe(promise);
  });
});

describe('what is no claim', () => {
  const examples: [behaviour: string, message: string][] = [
    ['an empty message', ''],
    ['the bare word', 'DONE'],
    ['a tag in mid-sentence', `I will write ${TAG} when it works.`],
    ['a tag in a sentence that ends the message', `I cannot write ${TAG} yet.`],
    ['a tag that ends a sentence', `I must not write ${TAG}.`],
    ['a denial that ends the message', `The tests fail. I will not write ${TAG}`],
    ['a denial with a curly apostrophe', `I can’t honestly say ${TAG}`],
    ['a denial before a colon', `Not yet: ${TAG}`],
    ['what is put off to the end of the message', `One test is left before I may say **${TAG}**`],
    ['text before the tag on an earlier line', `Not yet: ${TAG}\nThe tests fail.`],
    ['text after the tag on its line', `${TAG} is what I will say.\nThe tests fail.`],
    ['inline code', `Then \`${TAG}\``],
    ['inline code alone on its line', `\`${TAG}\`\n`],
    ['inline code with more backticks', `\`\`\` ${TAG} \`\`\`\nText.`],
    ['inline code over lines', `Write \`this\n${TAG}\nthen\` stop.`],
    ['a fence', `\`\`\`\n${TAG}\n\`\`\``],
    ['a fence with an info string', `\`\`\`xml title="x"\n${TAG}\n\`\`\`\nText.`],
    ['a tilde fence', `~~~\n${TAG}\n~~~`],
    ['a tilde fence whose info string has backticks', `~~~ a\`b\n${TAG}\n~~~`],
    ['an unclosed fence', `\`\`\`\n${TAG}`],
    ['an indented fence', `   \`\`\`\n${TAG}\n   \`\`\``],
    ['a fence closed only by a longer run', `\`\`\`\`\n\`\`\`\n${TAG}\n\`\`\`\`\``],
    ['a fence that tildes do not close', `\`\`\`\n~~~\n${TAG}\n\`\`\``],
    ['a fence that a run with text does not close', `\`\`\`\n\`\`\` x\n${TAG}\n\`\`\``],
    ['a fence that a deeper run does not close', `\`\`\`\n    \`\`\`\n${TAG}\n\`\`\``],
    ['a fence in a list item', `- Write\n  \`\`\`\n  ${TAG}\n  \`\`\``],
    ['a fence on the line of its bullet', `- \`\`\`\n  ${TAG}\n  \`\`\``],
    ['a fence deep in a list', `1. one\n   - two\n\n       \`\`\`\n       ${TAG}\n       \`\`\``],
    ['indented code', `Write this:\n\n    ${TAG}\n\nthen stop.`],
    ['code indented by a tab', `Write this:\n\n\t${TAG}`],
    ['indented code inside a list', `- Write:\n\n      ${TAG}\n`],
    ['a block quote', `> ${TAG}`],
    ['a block quote over lines', `> The task says:\n> ${TAG}\n\nNot yet.`],
    ['a block quote in a list', `- > ${TAG}`],
    ['a nested block quote', ` >> ${TAG}`],
    ['double quotes', `"${TAG}"`],
    ['single quotes', `'${TAG}'`],
    ['curly quotes', `“${TAG}”`],
    ['low quotes', `„${TAG}“`],
    ['guillemets', `«${TAG}»`],
    ['a quotation over lines', `The task says "write\n${TAG}\nat the end", but not yet.`],
    [
      'a quotation that holds a tag with a quotation',
      'Write "this\n<promise>say "hi"</promise>\nthen" stop.',
    ],
    ['indented code after a list', `- one\n\nWrite this:\n\n     ${TAG}\n\nthen stop.`],
    ['a curly quotation over lines', `The task says “write\n${TAG}\nat the end”, but not yet.`],
    ['struck through', `~~${TAG}~~`],
    ['brackets', `(${TAG})`],
    ['a link', `[${TAG}](https://example.org)`],
    ['a table', `| what | tag |\n|---|---|\n| end | ${TAG} |`],
    ['a table row without its last bar', `| what | tag |\n|---|---|\n| end | ${TAG}`],
    ['a box that is not ticked', `- [x] tests\n- [ ] ${TAG}`],
    ['two tags on one line in mid-message', `${TAG} <promise>B</promise>\nText.`],
    ['an empty tag', '<promise></promise>'],
    ['a tag of white space', '<promise> \n\u00a0</promise>'],
    ['an unclosed tag', '<promise>DONE'],
    ['a closing tag alone', 'DONE</promise>'],
    ['an upper-case tag', '<PROMISE>DONE</PROMISE>'],
    ['a tag closed in another case', '<promise>DONE</Promise>'],
    ['a tag with attributes', '<promise id="1">DONE</promise>'],
    ['a tag with white space in it', '< promise >DONE</ promise >'],
    ['escaped angle brackets', '&lt;promise&gt;DONE&lt;/promise&gt;'],
    ['nested tags', '<promise><promise>DONE</promise></promise>'],
    ['a tag around a fence', '<promise>\n```\nDONE\n```\n</promise>'],
    ['a closing tag in code', '<promise>DONE`</promise>`'],
  ];
  it.each(examples)('%s', (_behaviour, message) => {
    expect(findPromise(message)).toBeUndefined();
  });
});

describe('the last claim wins', () => {
  it.each<Example>([
    ['of two lines', '<promise>A</promise>\n<promise>B</promise>', 'B'],
    ['of two on the last line', '<promise>A</promise> <promise>B</promise>', 'B'],
    ['over a mention after it', '<promise>A</promise>\nLater `<promise>B</promise>` follows.', 'A'],
    ['over an empty tag after it', '<promise>A</promise>\n<promise></promise>', 'A'],
  ])('%s', (_behaviour, message, promise) => {
    expect(findPromise(message)).toBe(promise);
  });

  it('so that a later claim of something else takes the promise back', () => {
    expect(keepsPromise('<promise>DONE</promise>\n\n<promise>NOT DONE</promise>', 'DONE')).toBe(false);
    expect(keepsPromise('<promise>NOT DONE</promise>\n\n<promise>DONE</promise>', 'DONE')).toBe(true);
  });
});

describe('how texts are compared', () => {
  it.each([
    ['doubled spaces', '<promise>ALL  DONE</promise>', 'ALL DONE'],
    ['space around', '<promise> ALL DONE\t</promise>', '\n ALL DONE '],
    ['line breaks', '<promise>ALL\r\nDONE</promise>', 'ALL DONE'],
    ['Unicode spaces', '<promise>\u2003ALL\u00a0\u3000DONE\ufeff</promise>', 'ALL DONE'],
    ['composed and decomposed letters', '<promise>\u00e9te\u0301</promise>', 'e\u0301t\u00e9'],
  ])('%s make no difference', (_what, message, promise) => {
    expect(keepsPromise(message, promise)).toBe(true);
  });

  it.each([
    ['case', '<promise>done</promise>', 'DONE'],
    ['a missing space', '<promise>ALLDONE</promise>', 'ALL DONE'],
    ['a longer text', '<promise>DONE soon</promise>', 'DONE'],
    ['a shorter text', '<promise>DON</promise>', 'DONE'],
    ['an accent', '<promise>ete</promise>', 'été'],
  ])('%s makes a difference', (_what, message, promise) => {
    expect(keepsPromise(message, promise)).toBe(false);
  });

  it('an empty promise is never kept', () => {
    expect(keepsPromise('<promise></promise>', '')).toBe(false);
    expect(keepsPromise('no tag', ' \n')).toBe(false);
  });

  it('a promise is rendered on one line', () => {
    expect(renderPromise(' ALL\n  DONE ')).toBe('<promise>ALL DONE</promise>');
  });
});

describe('for all promises and messages', () => {
  const promises = fc
    .string({ unit: anyCharacter, minLength: 1 })
    .filter((text) => text.replace(/[\s\u0085]/gu, '') !== '');
  const words = fc
    .array(fc.string({ unit: fc.constantFrom(...'abcdeäß,.;:!?()'), minLength: 1 }), { minLength: 1 })
    .map((list) => list.join(' '));
  const markdown = fc
    .array(
      fc.constantFrom(
        ...[
          '<promise>',
          '</promise>',
          'DONE',
          ' ',
          '    ',
          '\n',
          '\n\n',
          '\r\n',
          '\t',
          '`',
          '``',
          '```',
          '~~~',
          '> ',
        ],
        ...[
          '- ',
          '1. ',
          '# ',
          '**',
          '_',
          '"',
          "'",
          '“',
          '”',
          '|',
          '[ ] ',
          '[x] ',
          '.',
          'word',
          '\0',
          '\ud800',
        ],
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join(''));

  it('a rendered promise is kept', () => {
    fc.assert(fc.property(promises, (promise) => keepsPromise(renderPromise(promise), promise)));
  });

  it('a rendered promise between paragraphs is kept', () => {
    fc.assert(
      fc.property(words, promises, words, (before, promise, after) =>
        keepsPromise(`${before}\n\n${renderPromise(promise)}\n\n${after}`, promise),
      ),
    );
  });

  it('a promise in mid-sentence is not kept', () => {
    fc.assert(
      fc.property(words, promises, words, (before, promise, after) => {
        expect(keepsPromise(`w${before} ${renderPromise(promise)} ${after}w`, promise)).toBe(false);
      }),
    );
  });

  it.each([
    ['a fence', (text: string) => `\`\`\`\n${text}\n\`\`\``],
    ['an unclosed fence', (text: string) => `~~~~~\n${text}`],
    ['a block quote', (text: string) => `> ${text}`],
    ['indented code', (text: string) => `Text\n\n    ${text}`],
    ['quotes', (text: string) => `"${text}"`],
  ])('a rendered promise in %s is not kept', (_where, wrap) => {
    fc.assert(fc.property(promises, (promise) => !keepsPromise(wrap(renderPromise(promise)), promise)));
  });

  it('white space around the message and the kind of line ends change nothing', () => {
    fc.assert(
      fc.property(markdown, (message) => {
        const found = findPromise(message);
        expect(findPromise(`\n ${message} \n`)).toBe(found);
        expect(findPromise(message.replace(/\r?\n/g, '\r\n'))).toBe(found);
      }),
    );
  });

  it('a tag that holds a tag in code promises nothing', () => {
    expect(findPromise('<promise>```<promise>```</promise>')).toBeUndefined();
  });

  it('what is found was written in a tag, and is normalised and kept', () => {
    fc.assert(
      fc.property(markdown, (message) => {
        const found = findPromise(message);
        if (found === undefined) return;
        expect(message).toContain('<promise>');
        expect(found).toBe(found.trim());
        expect(found).not.toMatch(/\s\s/);
        expect(found).not.toContain('promise>');
        expect(keepsPromise(message, found)).toBe(true);
      }),
      { numRuns: rounds(2_000, 200) },
    );
  });

  it('of two claims the later one is kept', () => {
    fc.assert(
      fc.property(words, promises, promises, (before, first, second) =>
        keepsPromise(`${before}\n\n${renderPromise(first)}\n\n${renderPromise(second)}`, second),
      ),
    );
  });
});

describe('the time does not explode', () => {
  const FLOOD = (isLong ? 1024 : 128) * 1024;
  it.each([
    '<promise>',
    '</promise>',
    '<promise>a</promise>',
    '<promise>a</promise> ',
    '<promise>a</promise>\n',
    '"<promise>a</promise>\n',
    '<promise>a</promise>          x',
    '<promise>a</promise>********x',
    '`',
    '` `` ```\n',
    '`<promise>',
    '```\n',
    '- ',
    '> ',
    '* ** ',
    ' ',
    '\n',
    '#',
    '*',
    '1. ',
    '\t',
  ])(`${FLOOD / 1024} KiB of %j`, (unit) => {
    const flood = unit.repeat(Math.ceil(FLOOD / unit.length));
    expect(findPromise(`${flood}\n~~~\n\n<promise>never</promise>`)).not.toBe('never');
    expect(() => findPromise(`<promise>${flood}</promise>${flood}x`)).not.toThrow();
  });
});
