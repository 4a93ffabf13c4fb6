/** Parses source text by the grammars of tree-sitter. They are loaded when the first file of their language is read. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Language, Parser, Query } from 'web-tree-sitter';
import type { Grammar, Match, SourceReader } from '../../ports/source.ts';

/** The file of each grammar, and the package that it comes from. */
const GRAMMAR_FILES: Record<Grammar, readonly [folder: string, file: string]> = {
  typescript: ['tree-sitter-typescript', 'tree-sitter-typescript.wasm'],
  tsx: ['tree-sitter-typescript', 'tree-sitter-tsx.wasm'],
  python: ['tree-sitter-python', 'tree-sitter-python.wasm'],
  go: ['tree-sitter-go', 'tree-sitter-go.wasm'],
  rust: ['tree-sitter-rust', 'tree-sitter-rust.wasm'],
  java: ['tree-sitter-java', 'tree-sitter-java.wasm'],
  ruby: ['tree-sitter-ruby', 'tree-sitter-ruby.wasm'],
};

export function openSourceReader(folder: string = grammarFolder()): SourceReader {
  const languages = new Map<Grammar, Promise<Language>>();
  const queries = new Map<string, Query>();
  const load = (grammar: Grammar) => {
    const known = languages.get(grammar) ?? loadLanguage(folder, grammar);
    languages.set(grammar, known);
    return known;
  };
  return {
    async matches(grammar, text, source) {
      const language = await load(grammar);
      const key = `${grammar}\n${text}`;
      const query = queries.get(key) ?? new Query(language, text);
      queries.set(key, query);
      const parser = new Parser();
      try {
        parser.setLanguage(language);
        const tree = parser.parse(source);
        if (!tree) throw new Error(`the parser of ${grammar} gave no tree`);
        try {
          return query
            .matches(tree.rootNode)
            .map(
              ({ captures }): Match =>
                Object.fromEntries(
                  captures.map(({ name, node: { startIndex, endIndex, startPosition } }) => [
                    name,
                    { start: startIndex, end: endIndex, line: startPosition.row + 1 },
                  ]),
                ),
            );
        } finally {
          tree.delete();
        }
      } finally {
        parser.delete();
      }
    },
  };
}

let engine: Promise<void> | undefined;

async function loadLanguage(folder: string, grammar: Grammar): Promise<Language> {
  // Read here, because the engine prints to stderr when it cannot find its file.
  const wasmBinary = await readFile(fileOf(folder, 'web-tree-sitter', 'web-tree-sitter.wasm'));
  engine ??= Parser.init({ wasmBinary });
  await engine;
  return Language.load(await readFile(fileOf(folder, ...GRAMMAR_FILES[grammar])));
}

/** In the built package all files lie in one folder; in the sources each lies in its own package. */
function fileOf(folder: string, from: string, file: string): string {
  const built = join(folder, file);
  return existsSync(built) ? built : join(folder, from, file);
}

/** `dist/grammars` beside the bundle, or the packages that are installed above the sources. */
function grammarFolder(): string {
  const here = typeof __dirname === 'string' ? __dirname : import.meta.dirname;
  const built = join(here, 'grammars');
  if (existsSync(built)) return built;
  for (let folder = here; folder !== dirname(folder); folder = dirname(folder)) {
    const installed = join(folder, 'node_modules');
    if (existsSync(join(installed, 'web-tree-sitter'))) return installed;
  }
  return built;
}
