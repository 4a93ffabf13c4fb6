/** What tools may do in a session of the project, beyond what protects the definition of done. */
export interface ToolRules {
  /** Commands that destroy what cannot be had back are refused. */
  dangerous: boolean;
  /** Globs of the project, `~/...` or absolute ones: no tool changes what they fit; `!` takes one out. */
  protect: string[];
  /** The same, and no tool reads it either. */
  hide: string[];
  /** Permission rules (`Bash(npm publish *)`, `WebFetch`): such a call is refused. */
  deny: { rule: string; say?: string }[];
  /** Permission rules: such a call is allowed without asking, where the client would ask a person. */
  allow: string[];
  /** Replaces a text in a field of a tool's input. */
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

/** What most people would never want an agent to change. */
export const DEFAULT_PROTECTED: readonly string[] = [
  '.env*',
  './.git',
  ...['*.pem', '*.key', '*.p12', '*.pfx', '*.jks', '*.keystore'],
  ...['id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*'],
  ...['.netrc', '.git-credentials', '.pypirc'],
  ...['~/.ssh', '~/.aws', '~/.gnupg', '~/.kube', '~/.azure', '~/.config/gcloud', '~/.config/gh'],
  ...['~/.netrc', '~/.git-credentials', '~/.npmrc', '~/.pypirc', '~/.docker/config.json'],
];

/** One tool call that rules are asked about. */
export interface ToolCall {
  event: 'PreToolUse' | 'PermissionRequest';
  tool: string;
  input: Record<string, unknown>;
  /** The folder that the session works in. */
  cwd: string;
}

export type ToolRuling =
  | { kind: 'none' }
  /** `why` is for the journal, `reason` for the model. */
  | { kind: 'refuse'; why: string; reason: string }
  | { kind: 'permit'; rule: string }
  | { kind: 'rewrite'; input: Record<string, unknown>; what: string };

/** What rules need to know of the machine that a call would run on. */
export interface ToolPlace {
  /** The project's folder, as it is called and as it is without links. */
  roots: readonly string[];
  home: string;
  /**
   * Every absolute path that a word, as it is written, may lead to: braces, wildcards, variables and links followed.
   * `variables` are those that the command line itself sets.
   */
  spellings(written: string, variables?: Variables): readonly string[];
  /** What lies in a folder, up to a bound; nothing of what is made anew by a build. */
  inside(folder: string): readonly string[];
  /** Folders that hold the repository itself. */
  gitFolders(): readonly string[];
  /** Where the project lies in the other worktrees of its repository: what a contract protects is the same there. */
  worktrees(): readonly string[];
  /** The branch that is checked out; undefined when it cannot be told. */
  branch(): string | undefined;
  /** What of the tree is in no commit; undefined when it cannot be told. */
  uncommitted(): { changed: boolean; untracked: boolean } | undefined;
}

export type Variables = ReadonlyMap<string, readonly string[]>;

/** Asks the rules of a contract about a call. Loaded only where a contract has rules. */
export interface ToolGuard {
  judge(call: ToolCall, rules: ToolRules, project: string): ToolRuling;
}

/** The installed hook for tools that change nothing is only wanted where a rule speaks of such tools. */
export function concernsEveryTool({ hide, deny, rewrite }: ToolRules): boolean {
  const ordinary = /^(?:Bash|Write|Edit|MultiEdit|NotebookEdit)$/;
  const toolOf = (rule: string) => /^[^(]*/.exec(rule)?.[0] ?? '';
  return (
    hide.length > 0 ||
    deny.some(({ rule }) => !ordinary.test(toolOf(rule))) ||
    rewrite.some(({ tool }) => !ordinary.test(tool))
  );
}
