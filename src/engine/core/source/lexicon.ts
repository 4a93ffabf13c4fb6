/** How comments and strings of a language begin and end: enough to tell them from code, not to parse. */

export interface StringRule {
  open: string;
  close: string;
  /** A backslash escapes the next character. */
  escapes: boolean;
  /** False: a quote that is not closed on its line is no quote, but an apostrophe. */
  multiline: boolean;
}

export interface Lexicon {
  lineComments: readonly string[];
  /** A line comment has to follow white space: `$#` of a shell is none. */
  spacedComments?: true;
  blockComments: readonly { open: string; close: string; nests?: true }[];
  strings: readonly StringRule[];
  /** Languages that need code of their own. */
  quirks?: 'javascript' | 'rust';
}

export type LanguageName =
  | 'javascript'
  | 'python'
  | 'go'
  | 'rust'
  | 'java'
  | 'kotlin'
  | 'scala'
  | 'csharp'
  | 'c'
  | 'swift'
  | 'dart'
  | 'php'
  | 'ruby'
  | 'elixir'
  | 'shell'
  | 'sql'
  | 'lua'
  | 'css'
  | 'markup'
  | 'settings';

const plain = (quote: string): StringRule => ({ open: quote, close: quote, escapes: true, multiline: false });
const long = (quote: string, escapes = true): StringRule => ({
  open: quote,
  close: quote,
  escapes,
  multiline: true,
});

const C_BLOCK = { open: '/*', close: '*/' };
const C_LIKE: Lexicon = {
  lineComments: ['//'],
  blockComments: [C_BLOCK],
  strings: [plain('"'), plain("'")],
};
const TEXT_BLOCKS: Lexicon = { ...C_LIKE, strings: [long('"""'), ...C_LIKE.strings] };
const HASH: Lexicon = { lineComments: ['#'], blockComments: [], strings: [plain('"'), plain("'")] };

const LEXICONS: Record<LanguageName, Lexicon> = {
  javascript: { ...C_LIKE, quirks: 'javascript' },
  python: { ...HASH, strings: [long('"""'), long("'''"), plain('"'), plain("'")] },
  go: { ...C_LIKE, strings: [long('`', false), plain('"'), plain("'")] },
  rust: {
    lineComments: ['//'],
    blockComments: [{ ...C_BLOCK, nests: true }],
    strings: [long('"')],
    quirks: 'rust',
  },
  java: TEXT_BLOCKS,
  kotlin: TEXT_BLOCKS,
  scala: TEXT_BLOCKS,
  csharp: TEXT_BLOCKS,
  c: C_LIKE,
  swift: TEXT_BLOCKS,
  dart: { ...C_LIKE, strings: [long('"""'), long("'''"), plain('"'), plain("'")] },
  php: { ...C_LIKE, lineComments: ['//', '#'], strings: [long('"'), long("'")] },
  ruby: { ...HASH, blockComments: [{ open: '\n=begin', close: '\n=end' }] },
  elixir: { ...HASH, strings: [long('"""'), plain('"')] },
  shell: { ...HASH, spacedComments: true, strings: [long('"'), long("'", false)] },
  sql: { lineComments: ['--'], blockComments: [C_BLOCK], strings: [long("'", false)] },
  lua: {
    lineComments: ['--'],
    blockComments: [{ open: '--[[', close: ']]' }],
    strings: [plain('"'), plain("'")],
  },
  css: { ...C_LIKE, lineComments: [' //', '\n//'] },
  markup: { lineComments: [], blockComments: [{ open: '<!--', close: '-->' }], strings: [] },
  settings: { ...HASH, spacedComments: true },
};

const ENDINGS: Record<LanguageName, string> = {
  javascript: 'js jsx mjs cjs ts tsx mts cts vue svelte astro',
  python: 'py pyi pyw',
  go: 'go',
  rust: 'rs',
  java: 'java groovy gradle',
  kotlin: 'kt kts',
  scala: 'scala sc',
  csharp: 'cs',
  c: 'c h cc cpp cxx hpp hh m mm',
  swift: 'swift',
  dart: 'dart',
  php: 'php',
  ruby: 'rb rake',
  elixir: 'ex exs',
  shell: 'sh bash zsh',
  sql: 'sql',
  lua: 'lua',
  css: 'css scss sass less',
  markup: 'html htm xml xhtml svg',
  settings: 'yml yaml toml ini cfg conf properties mk',
};

const BY_ENDING = new Map(
  (Object.entries(ENDINGS) as [LanguageName, string][]).flatMap(([name, endings]) =>
    endings.split(' ').map((ending): [string, LanguageName] => [ending, name]),
  ),
);

const BY_NAME = new Map<string, LanguageName>([
  ['Dockerfile', 'settings'],
  ['Makefile', 'settings'],
  ['Rakefile', 'ruby'],
  ['Gemfile', 'ruby'],
]);

export function languageOf(path: string): LanguageName | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return BY_NAME.get(name) ?? BY_ENDING.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
}

export function lexiconOf(language: LanguageName): Lexicon {
  return LEXICONS[language];
}
