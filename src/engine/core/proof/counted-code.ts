/** Which files and lines of a change a test could miss. Everything else says nothing about tests. */
import { type LanguageName, languageOf } from '../source/lexicon.ts';
import { type MaskedSource, maskSource } from '../source/mask.ts';

const NO_PROGRAMS: readonly LanguageName[] = ['sql', 'css', 'markup', 'settings'];

const OTHER_FOLDERS =
  /(?:^|\/)(?:node_modules|vendor|third_party|dist|build|out|target|__?generated__?|generated|docs?|examples?|bench(?:marks?)?|fixtures|__snapshots__|stories|\.[^/]+)\//i;
const OTHER_NAMES = [
  /\.d\.[mc]?ts$|\.pyi$|\.min\.[mc]?js$/,
  /\.(?:gen|generated|g|designer|stories|story|config|conf|setup)\.\w+$|_generated\.\w+$|_pb2(?:_grpc)?\.py$|\.pb\.\w+$/i,
  /\.gradle(?:\.kts)?$|\.sbt$|\.rake$/,
  /(?:^|\/)(?:\.[^/]*|setup\.py|noxfile\.py|conftest\.py|Rakefile|Gemfile|gulpfile\.\w+|Gruntfile\.\w+|mix\.exs|Package\.swift|package-info\.java|build\.rs|jest\.[^/]*|vitest\.[^/]*)$/,
];
const GENERATED =
  /@generated\b|\bcode generated\b|\bgenerated (?:from|by)\b|\bdo not edit\b|\bauto-?generated\b/i;
const HEADER_LINES = 8;

/** The language of a file whose lines a test could miss; undefined for settings, documents, generated and foreign files. */
export function programLanguage(path: string, text: string): LanguageName | undefined {
  if (OTHER_FOLDERS.test(path) || OTHER_NAMES.some((pattern) => pattern.test(path))) return undefined;
  if (text.includes('\0')) return undefined;
  const head = text.split('\n', HEADER_LINES).join('\n');
  if (GENERATED.test(head)) return undefined;
  const language = languageOf(path) ?? languageOfScript(path, head);
  return language === undefined || NO_PROGRAMS.includes(language) ? undefined : language;
}

/** A script without an ending names its interpreter in the first line. */
function languageOfScript(path: string, head: string): LanguageName | undefined {
  if (/\.[^/]*$/.test(path) || !head.startsWith('#!')) return undefined;
  const [first = ''] = head.split('\n');
  if (/\b(?:ba|z|da|k)?sh\b/.test(first)) return 'shell';
  if (/\bpython/.test(first)) return 'python';
  if (/\b(?:node|deno|bun)\b/.test(first)) return 'javascript';
  return /\bruby\b/.test(first) ? 'ruby' : undefined;
}

/** Parts that no test can miss by themselves, as expressions over code without comments and texts. */
const SPANS: Partial<Record<LanguageName, readonly RegExp[]>> = {
  javascript: [
    /^[ \t]*(?:import|export)\b(?:[ \t]+type\b)?[\w$*,\s]{0,1000}(?:\{[^{}]{0,5000}\})?\s*from\b[^\n]*/gm,
    /^[ \t]*export\s*(?:type\s*)?\{[^{}]{0,5000}\}/gm,
    /^[ \t]*(?:module\.)?exports(?:\.[\w$]+)?\s*=\s*(?:\{[\w\s,$]{0,5000}\}|[\w$]+)\s*;?[ \t]*$/gm,
    /^[ \t]*(?:export\s+)?(?:declare\s+)?type\s+[\w$]+[^\n{;]*=[^\n{;]*(?:\n[ \t]*[|&][^\n{;]*)*;?[ \t]*$/gm,
  ],
  python: [
    /^[ \t]*[rbuRBU]{0,2}("""|''')\s*\1/gm,
    /^[ \t]*from\b[^\n]*\bimport\s*\([^)]{0,5000}\)/gm,
    /^__all__\s*\+?=\s*[[(][^\])]{0,5000}[\])]/gm,
  ],
  go: [/^import\s*\([^)]{0,5000}\)/gm],
  rust: [/^[ \t]*(?:pub(?:\([^)]*\))?\s+)?use\b[^;]{0,2000};/gm],
  scala: [/^[ \t]*import\b[^\n]*\{[^}]{0,2000}\}/gm],
};

/** The beginnings of such parts that go on to a closing bracket. */
const BRACKETED: Partial<Record<LanguageName, readonly RegExp[]>> = {
  javascript: [
    /^[ \t]*(?:export\s+)?(?:default\s+)?(?:declare\s+)?interface\s[^{;]{0,1000}\{/gm,
    /^[ \t]*(?:export\s+)?(?:declare\s+)?type\s+[\w$]+[^={};]{0,1000}=[^{};\n]{0,1000}\{/gm,
    /^[ \t]*(?:export\s+)?declare\s[^{;\n]*\{/gm,
    /\bif\s*\(\s*import\.meta\.vitest\s*\)\s*\{/g,
  ],
  rust: [/#\[cfg\(test\)\]\s*(?:pub\s+)?mod\s+\w+\s*\{/g, /#\[(?:\w+::)?test\][^{;]{0,1000}\{/g],
};

const IMPORT =
  /^\s*(?:import\b(?!\s*\()|from\s+\S+\s+import\b|(?:const|let|var)\b[^=]*=\s*require\s*\(|#\s*(?:include|import|pragma|ifndef|define\s+\w+_H_?\b)|use\s+[\w\\]|using\s+[\w.]+\s*;|package\s+[\w.]+;?\s*$|require(?:_relative|_once)?[\s(]|include(?:_once)?\s*\(|mod\s+\w+;|pub\s+mod\s+\w+;|extern\s+crate\b|namespace\s+[\w\\.]+\s*;|alias\s+[A-Z]|export\s+\*)/;
const LOGGING =
  /^\s*(?:(?:this|self)\.)?_?(?:log|logger|logging|LOG|LOGGER|slog|tracing|console)(?:\.|::)(?:debug|trace|info|warn|warning|verbose|fine)!?\s*\(.*\)\s*;?\s*$|^\s*(?:debug|trace|info|warn)!\s*\(.*\)\s*;?\s*$/;
const CONSOLE_OUTPUT = /^\s*console\.(?:info|warn)/;
/** Options of the whole script, or of the whole file. */
const MODE = /^\s*(?:set\s+[-+]\w[\w\s+-]*|shopt\s+-\w\s+\w+|["']use strict["'];?)\s*$/;
const STRUCTURE = /^\W*(?:else|end|try|finally|do|done|fi|then|esac|pass|begin|ensure)?\W*$/;
const WORD = /[\p{L}\p{N}_]/u;

/** Tells for each line whether a test could miss it: not for comments, imports, exports, types, brackets and log lines. */
export function countedLines(text: string, language: LanguageName): boolean[] {
  const source = maskSource(text, language);
  const code = source.code.split('\n');
  const shown = source.uncommented.split('\n');
  const isPassive = passiveLines(source, language);
  return code.map((line, i) => {
    const full = shown[i] ?? '';
    // Inside of a long text the view of the code is blank.
    if (!WORD.test(full) || isPassive(i)) return false;
    if (STRUCTURE.test(line) && WORD.test(line)) return false;
    return !IMPORT.test(full) && !MODE.test(full) && (!LOGGING.test(line) || CONSOLE_OUTPUT.test(line));
  });
}

function passiveLines(source: MaskedSource, language: LanguageName): (index: number) => boolean {
  const spans = [
    ...(SPANS[language] ?? []).flatMap((pattern) =>
      [...source.code.matchAll(pattern)].map(
        (match) => [match.index, match.index + match[0].length] as const,
      ),
    ),
    ...(BRACKETED[language] ?? []).flatMap((pattern) =>
      [...source.code.matchAll(pattern)].map((match) => {
        const open = match.index + match[0].length - 1;
        return [match.index, source.closing(open)] as const;
      }),
    ),
  ];
  const lines = new Set<number>();
  // An expression may begin with the white space of lines before.
  for (const [from, to] of spans)
    for (let line = source.lineAt(from); line <= source.lineAt(Math.max(from, to - 1)); line++)
      lines.add(line - 1);
  return (index) => lines.has(index);
}
