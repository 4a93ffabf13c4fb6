import fc from 'fast-check';

/** Characters that no output may hold: all that steer a terminal or hide text, but the line break. */
export const STEERS =
  /(?!\n)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

/** What an attacker would put into a name: sequences of terminals, marks of direction, and what cannot be seen. */
export const HOSTILE = [
  '\x1b[2J',
  '\x1b[1;31m',
  '\x1b]0;title\x07',
  '\x1b]8;;http://evil.test\x1b\\',
  '\x1bP1$r\x1b\\',
  '\x9b31m',
  '\x9d0;t\x9c',
  '\x1b',
  '\x07',
  '\x08\x08\x08',
  '\r',
  '\n',
  '\x7f',
  '\u0085',
  '\u061c',
  '\u200b',
  '\u200e',
  '\u200f',
  '\u202a',
  '\u202e',
  '\u2028',
  '\u2029',
  '\u2066',
  '\u2069',
  '\ufeff',
  '\u{e0041}',
];

/** The control sequences above between letters. */
export const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.constantFrom('a', 'B', '漢', '👩‍👩‍👧', ' ')), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''));
