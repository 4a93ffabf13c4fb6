/** Parses source text by the grammars of tree-sitter. They are loaded when the first file of their language is read. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Language, Parser, type TreeCursor } from 'web-tree-sitter';
import type { Grammar, SourceReader, SyntaxNode } from '../../ports/source.ts';

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
  const load = (grammar: Grammar) => {
    const known = languages.get(grammar) ?? loadLanguage(folder, grammar);
    languages.set(grammar, known);
    return known;
  };
  return {
    async parse(grammar, text) {
      const language = await load(grammar);
      const parser = new Parser();
      try {
        parser.setLanguage(language);
        const tree = parser.parse(text);
        if (!tree) throw new Error(`the parser of ${grammar} gave no tree`);
        try {
          return plainTree(tree.walk(), text);
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

type OpenNode = SyntaxNode & { children: OpenNode[]; parent?: OpenNode };

/** Copies the tree, because that of the parser lives in memory that has to be freed. */
function plainTree(cursor: TreeCursor, text: string): SyntaxNode {
  const nodeHere = (parent?: OpenNode): OpenNode => {
    const { startIndex, endIndex, nodeType, nodeIsNamed, startPosition, currentFieldName } = cursor;
    return {
      type: nodeType,
      named: nodeIsNamed,
      field: currentFieldName ?? undefined,
      // Cut out when it is asked for.
      get text() {
        return text.slice(startIndex, endIndex);
      },
      line: startPosition.row + 1,
      children: [],
      parent,
    };
  };
  const root = nodeHere();
  let at: OpenNode | undefined = root;
  let isNew = true;
  while (at) {
    if (isNew && cursor.gotoFirstChild()) {
      const child: OpenNode = nodeHere(at);
      at.children.push(child);
      at = child;
    } else if (cursor.gotoNextSibling()) {
      const parent: OpenNode | undefined = at.parent;
      const next: OpenNode = nodeHere(parent);
      parent?.children.push(next);
      at = next;
      isNew = true;
    } else {
      at = cursor.gotoParent() ? at.parent : undefined;
      isNew = false;
    }
  }
  cursor.delete();
  return root;
}
