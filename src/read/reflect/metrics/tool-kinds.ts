/** The kinds of tools, for counts. Document 004's three come first; the rest is what Claude Code has besides. */

const KINDS: readonly [RegExp, string][] = [
  [/^(?:Bash|BashOutput|KillShell|PowerShell)$/, 'shell'],
  [/^(?:Read|Write|Edit|MultiEdit|NotebookEdit|NotebookRead)$/, 'files'],
  [/^(?:Grep|Glob|WebSearch|ToolSearch|LS)$/, 'search'],
  [/^(?:Task|Agent)$/, 'agents'],
  [/^(?:TodoWrite|Task[A-Z]\w*)$/, 'tasks'],
  [/^Web/, 'web'],
  [/^mcp__/, 'mcp'],
];

export function kindOfTool(name: string): string {
  return KINDS.find(([names]) => names.test(name))?.[1] ?? 'other';
}
