/** A contract as people write it: the keys of `untildone.yaml`, docs/reference/contract.md. */

/** What every gate may say, whatever its kind. Times are texts such as `90s`, `10m`, `1h30m`. */
export interface GateSettings {
  timeout?: string;
  exclusive?: boolean;
  on_unproven?: 'block' | 'allow';
}

interface ModelOptions {
  model?: string;
  max_cost?: number;
}

interface RunGateOptions {
  cwd?: string;
  env?: Record<string, string | number | boolean>;
}

type GitCheck = 'clean' | 'committed' | 'pushed';
type Forbidden =
  | 'debug'
  | 'debugger'
  | 'todo'
  | 'placeholder'
  | 'secrets'
  | 'private_keys'
  | { name: string; pattern: string };

type ForbiddenText = 'secrets' | 'private_keys' | 'todo' | 'placeholder' | { name: string; pattern: string };

interface TextOptions {
  matches?: string;
  say?: string;
  at_least?: number;
  at_most?: number;
}

interface ArtefactOptions {
  section?: string;
  has?: (string | { name: string; pattern: string })[];
  words?: number;
}

/** One gate: its kind, what it looks at, and its options, beside the kind or in its long form. */
export type GateInput = GateSettings &
  (
    | ({ run: string | ({ command: string } & RunGateOptions) } & RunGateOptions)
    | { features: string | { file: string } }
    | { checklist: string | { file: string; section?: string }; section?: string }
    | {
        git:
          | GitCheck
          | (GitCheck | { branch: string })[]
          | { checks?: GitCheck | GitCheck[]; branch?: string };
      }
    | { forbid: Forbidden[] | { patterns: Forbidden[]; paths?: string[] }; paths?: string[] }
    | { tests_intact: true | { paths?: string[] }; paths?: string[] }
    | { tasks: true }
    | { promise: string }
    | ({
        judge: string | ({ question: string; transcript?: boolean } & ModelOptions);
        transcript?: boolean;
      } & ModelOptions)
    | ({
        agent: string | ({ instruction: string; max_turns?: number } & ModelOptions);
        max_turns?: number;
      } & ModelOptions)
    | {
        ci: 'github' | { provider: 'github'; checks?: string[]; wait?: string };
        checks?: string[];
        wait?: string;
      }
    | { custom: string | { file: string; with?: Record<string, unknown> }; with?: Record<string, unknown> }
    | { hook: string | { command: string } }
    | ({ text: ForbiddenText[] | ({ forbid?: ForbiddenText[] } & TextOptions) } & TextOptions)
    | ({ artefact: string | ({ file: string } & ArtefactOptions) } & ArtefactOptions)
    | { changed: true | string[] | { paths?: true | string[]; except?: string[] }; except?: string[] }
    | { approve: string | { ask: string; file?: string }; file?: string }
    | { subagents: string | { type: string; at_least?: number }; at_least?: number }
    | { all: string[] | { gates: string[] } }
    | { any: string[] | { gates: string[] } }
  );

export interface RunRulesInput {
  model?: string;
  permission_mode?: 'acceptEdits' | 'default' | 'dontAsk' | 'plan' | 'auto';
  allow?: string[];
  max_turns?: number;
  mode?: 'hybrid' | 'session' | 'fresh';
  fresh_every?: number;
  idle_timeout?: string;
  session_duration?: string;
  /** Added to the client's own. */
  system_prompt?: string;
  /** Other options of the Agent SDK, in its own spelling: mcpServers, tools, disallowedTools, env. */
  client?: Record<string, unknown>;
}

export interface ToolRulesInput {
  dangerous?: boolean;
  protect?: string[];
  hide?: string[];
  deny?: (string | { rule: string; say?: string })[];
  allow?: string[];
  rewrite?: { tool: string; field: string; pattern: string; with: string }[];
}

export interface NotificationInput {
  webhook?: string;
  command?: string;
  desktop?: true;
  on?: string[];
}

export interface ContractInput {
  task?: string;
  gates?: Record<string, GateInput>;
  done?: string[];
  every_stop?: string[] | { gates: string[]; blocks?: number };
  subagent?: Record<string, string[]>;
  task_created?: string[];
  task_done?: string[];
  teammate?: string[];
  prompt?: string[] | { gates?: string[]; tell?: string; tell_file?: string };
  limits?: {
    iterations?: number | 'unlimited';
    duration?: string;
    cost_usd?: number | 'unlimited';
    tokens?: number | string;
    stall?: number;
    context?: number;
  };
  memory?:
    | string
    | {
        files: string | string[];
        lines?: number;
        inject?: ('startup' | 'resume' | 'clear' | 'compact' | 'fork')[];
        update?: boolean;
      };
  run?: RunRulesInput;
  tools?: 'safe' | ToolRulesInput;
  on_context?: 'continue' | 'spawn';
  notify?: NotificationInput[];
}
