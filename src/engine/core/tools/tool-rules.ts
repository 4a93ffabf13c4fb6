/** The tool rules of a contract. The contract and the home are protected without them. */
export interface ToolRules {
  /** Refuses commands that destroy something for good. */
  dangerous: boolean;
  /** Globs of files that no tool changes: in the project, `~/...` or absolute; `!` makes an exception. */
  protect: string[];
  /** Globs of files that no tool changes or reads. */
  hide: string[];
  /** Permission rules (`Bash(npm publish *)`, `WebFetch`) of calls that are refused. */
  deny: { rule: string; say?: string }[];
  /** Permission rules of calls that are allowed where Claude Code would ask you. */
  allow: string[];
  /** Replacements in the inputs of tools. */
  rewrite: RewriteRule[];
}

export interface RewriteRule {
  tool: string;
  field: string;
  /** A regular expression for single lines. */
  pattern: string;
  /** `$0` is what matched, `$1` to `$9` are the groups. */
  with: string;
}

/** How templates end that show which variables a `.env` needs. They hold no secrets and are part of the project. */
const TEMPLATE = '{example,sample,template,tmpl,tpl,dist}';

/** Files that are protected in every project with tool rules. */
export const DEFAULT_PROTECTED: readonly string[] = [
  ...['.env*', `!.env{.,-,_}${TEMPLATE}`, `!.env{.,-,_}*{.,-,_}${TEMPLATE}`],
  './.git',
  ...['*.pem', '*.key', '*.p12', '*.pfx', '*.jks', '*.keystore'],
  ...['id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*'],
  ...['.netrc', '.git-credentials', '.pypirc'],
  ...['~/.ssh', '~/.aws', '~/.gnupg', '~/.kube', '~/.azure', '~/.config/gcloud', '~/.config/gh'],
  ...['~/.netrc', '~/.git-credentials', '~/.npmrc', '~/.pypirc', '~/.docker/config.json'],
];

/** A tool call to judge. */
export interface ToolCall {
  event: 'PreToolUse' | 'PermissionRequest';
  tool: string;
  input: Record<string, unknown>;
  /** The folder that the session works in. */
  cwd: string;
}

export type ToolRuling =
  | { kind: 'none' }
  /** `why` is for the journal, `reason` for the agent. */
  | { kind: 'refuse'; why: string; reason: string }
  | { kind: 'permit'; rule: string }
  | { kind: 'rewrite'; input: Record<string, unknown>; what: string };

/** What tool rules need to know about the machine. */
export interface ToolPlace {
  /** The folder of the project, with and without links resolved. */
  roots: readonly string[];
  home: string;
  /**
   * Every absolute path that a word may mean: braces, wildcards, variables and links are resolved. `variables` are those
   * that the command line itself sets.
   */
  spellings(written: string, variables?: Variables): readonly string[];
  /** The files in a folder, up to a bound, without what a build makes. */
  inside(folder: string): readonly string[];
  /** The folders of the git repository itself (`.git`). */
  gitFolders(): readonly string[];
  /** The folders of the project in the other worktrees of its repository: the contract protects these, too. */
  worktrees(): readonly string[];
  /** The current branch; undefined when it is not known. */
  branch(): string | undefined;
  /** What is in no commit; undefined when it is not known. */
  uncommitted(): { changed: boolean; untracked: boolean } | undefined;
}

export type Variables = ReadonlyMap<string, readonly string[]>;

/** Judges tool calls by the rules of a contract. Loaded only where a contract has rules. */
export interface ToolGuard {
  judge(call: ToolCall, rules: ToolRules, project: string): Promise<ToolRuling>;
}

/** Whether rules are about tools that change nothing. Only then the hook is called for such tools. */
export function concernsEveryTool({ hide, deny, rewrite }: ToolRules): boolean {
  const ordinary = /^(?:Bash|Write|Edit|MultiEdit|NotebookEdit)$/;
  const toolOf = (rule: string) => /^[^(]*/.exec(rule)?.[0] ?? '';
  return (
    hide.length > 0 ||
    deny.some(({ rule }) => !ordinary.test(toolOf(rule))) ||
    rewrite.some(({ tool }) => !ordinary.test(tool))
  );
}
