import type { GateLine, RunLine } from '../engine/run/view/line.ts';

export type Limit = number | 'unlimited';

/** Limits that end a run that is not done. They win over the limits of the contract. */
export interface RunLimits {
  iterations?: Limit;
  /** Working time, waiting excluded. */
  durationMs?: Limit;
  costUsd?: Limit;
  /** Cache reads are not counted. */
  tokens?: Limit;
  /** Share of the context window from which a session hands over to a fresh one. */
  context?: number;
}

export type PermissionMode = 'acceptEdits' | 'default' | 'dontAsk' | 'plan' | 'auto' | 'bypassPermissions';

/** An option that is absent has the value of the contract, or the default of `untildone run`. */
export interface RunOptions {
  /** What is to be done; that of the contract when absent. */
  task?: string;
  /** The project's folder; found from the working folder when absent. */
  project?: string;
  /**
   * A file, relative to the project (`untildone.yaml` when absent): you have to trust it before (`untildone trust`). Or the
   * contract itself: your program names the commands, so they are trusted.
   */
  contract?: string | ContractInput;
  /** Trusts the contract of the file if this is its fingerprint (`untildone trust --show`). */
  trust?: string;
  /** A statement that ends the loop, beside the gates. */
  promise?: string;
  /** A feature list that has to pass, besides the contract. */
  features?: string;
  limits?: RunLimits;
  mode?: 'hybrid' | 'session' | 'fresh';
  /** Hand over after so many iterations. */
  freshEvery?: number;
  /** What happens when the agent asks something (`untildone ask`). */
  ask?: 'wait' | 'decide' | 'end';
  model?: string;
  permissionMode?: PermissionMode;
  /** Permission rules beside those of the contract, such as `Bash(npm test:*)`. */
  allow?: readonly string[];
  /** Of one session. */
  maxTurns?: number;
  /**
   * Goes on with a run, by its id, instead of a new one: with its own task and contract, and with `limits` instead of its
   * own where they are given. A run that ended without being done can go on, too.
   */
  resume?: string;
  /** Ends the session at once. The run is paused and can go on. */
  signal?: AbortSignal;
  /** What it throws ends the run as `signal` does, and is what `run` rejects with. */
  onEvent?: (event: RunEvent) => void;
  /** Instead of the environment of this process: PATH, HOME, login. */
  env?: Record<string, string | undefined>;
}

/** A line of docs/reference/run-events.md. */
export type RunEvent = { at: string } & RunLine;

type RunStatus =
  | 'verified_done'
  | 'claimed_done'
  | 'reached_limit'
  | 'stalled'
  | 'idle'
  | 'capped'
  | 'cancelled'
  | 'released'
  | 'failed'
  /** It can go on: `run({ resume: loop })`, or `untildone run --resume LOOP`. */
  | 'paused';

export interface RunResult {
  /** Only `verified_done` was measured; `claimed_done` rests on the word of the agent. */
  status: RunStatus;
  /** The run's id. */
  loop: string;
  iteration: number;
  /** How many sessions of Claude Code there were. */
  sessions: number;
  costUsd: number;
  tokens: number;
  /** As they were judged last. */
  gates: GateLine[];
  /** How it ended, or why it is paused. */
  why: string;
  /** What a done run rests on: the file that `untildone receipt verify` checks, and the same as Markdown. */
  receipt?: { file: string; text: string };
}

/** What a gate that you wrote as a module is asked. */
export interface GateQuestion<Settings = Record<string, unknown>> {
  v: 1;
  /** The gate's name in the contract. */
  gate: string;
  /** The project's folder, in which the gate runs. */
  project: string;
  /** What the agent was asked to do. */
  task: string;
  session: string;
  /** The final message of the session that wants to stop. */
  lastMessage?: string;
  /** For a prompt or a task: the event of Claude Code, with `hook_event_name`, `prompt`, `task_subject`, `task_description`. */
  event?: Record<string, unknown>;
  /** The git tree that is judged, and that of the loop's start. */
  tree?: string;
  baseTree?: string;
  /** `with` of the contract; empty when it says none. */
  with: Settings;
}

export interface GateAnswer {
  /** unproven: it could not be judged. skip: it does not apply here. */
  outcome: 'pass' | 'fail' | 'unproven' | 'skip';
  /** One line: what was found. */
  summary: string;
  /** Lines, the most useful first. */
  evidence?: readonly string[] | string;
  /** What the agent should do next. */
  next?: string;
  /** Names this failure, so that the same one is recognised. */
  fingerprint?: string;
}

export interface CustomGate<Settings = Record<string, unknown>> {
  judge(question: GateQuestion<Settings>): GateAnswer | Promise<GateAnswer>;
}

/** Returns the gate as it is: gives the default export of its module a type. */
export function defineGate<Settings = Record<string, unknown>>(
  gate: CustomGate<Settings>,
): CustomGate<Settings> {
  return gate;
}

/** Settings of a gate of any kind. Times are texts such as `90s`, `10m`, `1h30m`. */
export interface GateSettings {
  timeout?: string;
  exclusive?: boolean;
  on_unproven?: 'block' | 'allow';
  room?: 'clean' | 'project';
  network?: boolean;
  work?: string[];
  after?: string[];
  /** Of gates that run a command. */
  inputs?: string[];
  repeat?: number;
}

/** A comparison such as ">=5"; a number is the least. */
type Comparison = string | number;

interface MetricOptions {
  tool_use?: Comparison;
  tool_usage?: Comparison;
  bash_commands?: Comparison;
  file_operations?: Comparison;
  search_operations?: Comparison;
  tool_errors?: Comparison;
  iterations?: Comparison;
  lock_blocks?: Comparison;
  tokens?: Comparison;
  cost_usd?: Comparison;
}

interface ModelOptions {
  model?: string;
  max_cost?: number;
}

interface RunGateOptions {
  cwd?: string;
  quick?: string;
  env?: Record<string, string | number | boolean>;
}

interface HoldoutOptions {
  cwd?: string;
  reveal?: 'count' | 'names' | 'output';
}

interface DifferentialOptions extends RunGateOptions, ModelOptions {
  tests?: string[];
  checks?: ('old_tests' | 'new_tests' | 'change')[];
  may_change?: string[];
  resolve?: 'person' | 'judge';
  /** Of the check `change`. */
  runs?: number;
  time?: string;
  min?: number;
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
    | ({ differential: string | ({ command: string } & DifferentialOptions) } & DifferentialOptions)
    | ({ holdout: string | ({ command: string } & HoldoutOptions) } & HoldoutOptions)
    | {
        suppressions: true | { allow?: string[]; paths?: string[] };
        allow?: string[];
        paths?: string[];
      }
    | ({ metrics: true | MetricOptions } & MetricOptions)
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

interface RunRulesInput {
  model?: string;
  permission_mode?: 'acceptEdits' | 'default' | 'dontAsk' | 'plan' | 'auto';
  allow?: string[];
  max_turns?: number;
  mode?: 'hybrid' | 'session' | 'fresh';
  fresh_every?: number;
  idle_timeout?: string;
  session_duration?: string;
  /** Added to the system prompt of Claude Code. */
  system_prompt?: string;
  /** Other options of the Agent SDK, in its own spelling: mcpServers, tools, disallowedTools, env. */
  client?: Record<string, unknown>;
}

interface ToolRulesInput {
  dangerous?: boolean;
  protect?: string[];
  hide?: string[];
  deny?: (string | { rule: string; say?: string })[];
  allow?: string[];
  rewrite?: { tool: string; field: string; pattern: string; with: string }[];
}

interface NotificationInput {
  webhook?: string;
  command?: string;
  desktop?: true;
  on?: string[];
}

/** A contract with the keys of `untildone.yaml`: docs/reference/contract.md. */
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
  room?: 'clean' | 'project';
  setup?: string | string[] | { run: string | string[]; inputs?: string[] };
  needs?: string[];
  pass_env?: string[];
  sandbox?: 'required' | 'preferred' | 'off';
  network?: boolean;
  tools?: 'safe' | ToolRulesInput;
  on_context?: 'continue' | 'spawn';
  ask?: 'wait' | 'decide' | 'end' | { policy?: 'wait' | 'decide' | 'end'; timeout?: string };
  notify?: NotificationInput[];
}
