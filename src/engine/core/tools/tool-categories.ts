/** What document 004's hooks counted tools as. */

export type ToolCategory = 'bash_commands' | 'file_operations' | 'search_operations';

const CATEGORIES: readonly [RegExp, ToolCategory][] = [
  [/^Bash$/, 'bash_commands'],
  [/^(?:Read|Write|Edit|MultiEdit|NotebookEdit|NotebookRead)$/, 'file_operations'],
  [/^(?:Grep|Glob|WebSearch|ToolSearch)$/, 'search_operations'],
];

/** Undefined for a tool that is only counted as a tool. */
export function categoryOf(tool: string): ToolCategory | undefined {
  return CATEGORIES.find(([names]) => names.test(tool))?.[1];
}
