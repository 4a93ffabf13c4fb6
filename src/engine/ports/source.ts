/** The languages that a parser is there for. */
export type Grammar = 'typescript' | 'tsx' | 'python' | 'go' | 'rust' | 'java' | 'ruby';

/** A piece of source text that a query of tree-sitter names. */
export interface Piece {
  start: number;
  end: number;
  /** Counts from 1. */
  line: number;
}

/** The pieces of one match of a query, by the names that the query gives them. */
export type Match = Readonly<Partial<Record<string, Piece>>>;

/** Parses source text. */
export interface SourceReader {
  /**
   * The matches of a query in a text, from its beginning on. Never throws on odd text: what does not fit the grammar matches
   * nothing. Rejects when the grammar cannot be loaded.
   */
  matches(grammar: Grammar, query: string, text: string): Promise<Match[]>;
}
