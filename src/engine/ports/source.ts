/** A piece of source text as a parser sees it. Plain data: it outlives the parser. */
export interface SyntaxNode {
  /** The name of the piece in the grammar of its language: `call_expression`, `(`. */
  type: string;
  /** Whether the grammar gives the piece a name; brackets and keywords have none. */
  named: boolean;
  /** What the piece is to the one around it: `arguments`, `body`; absent where the grammar does not say. */
  field?: string;
  text: string;
  /** Counts from 1. */
  line: number;
  children: readonly SyntaxNode[];
  parent?: SyntaxNode;
}

/** The languages that a parser is there for. */
export type Grammar = 'typescript' | 'tsx' | 'python' | 'go' | 'rust' | 'java' | 'ruby';

/** Parses source text. */
export interface SourceReader {
  /** Never throws on odd text: what does not fit the grammar is a node of type `ERROR`. Rejects when the grammar cannot be loaded. */
  parse(grammar: Grammar, text: string): Promise<SyntaxNode>;
}
