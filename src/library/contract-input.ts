// Written by: node scripts/run.mjs scripts/schema.ts. Changes are lost.

/** Settings of a gate of any kind. Times are texts such as `90s`, `10m`, `1h30m`. */
export interface GateSettings {
  /** How long judging may take; after that the gate is unproven. Like 90s, 10m, 1h30m. */
  timeout?: string;
  /** Never judged at the same time as another gate. */
  exclusive?: boolean;
  /** What happens when this gate could not be judged. block (default): it counts as not done. allow: the loop may end, as released. */
  on_unproven?: 'block' | 'allow';
  /** Where its commands run. clean: in a fresh copy of the tree, outside of the project. project: in the folder in which the agent works. */
  room?: 'clean' | 'project';
  /** Whether its commands reach the network from within walls. Absent: as the contract says. */
  network?: boolean;
  /** Files that its commands run and that are the work itself: names or globs. They may change after the start; everything else that the commands lead to is frozen. */
  work?: string[];
  /** Judged only when these gates pass. */
  after?: string[];
}

/** One gate: its kind, what it looks at, and its options, beside the kind or in its long form. */
export type GateInput = GateSettings &
  (
    | {
        /** Runs a command; it passes when the command ends with exit code 0. */
        run: string | { command: string; cwd?: string; env?: Record<string, string | number | boolean>; quick?: string };
        /** The folder to run in, relative to the project. */
        cwd?: string;
        /** Variables added to the environment of the command. */
        env?: Record<string, string | number | boolean>;
        /** A command that takes less time. It is run as long as another gate fails; the work is done only when the whole command passes. */
        quick?: string;
        /** Files that the verdict depends on. A pass counts until one of them changes, or a new one fits. Without it, until anything changes. */
        inputs?: string[];
        /** How many passes in a row are asked for. The first failure ends it. */
        repeat?: number;
      }
    | {
        /** Every feature of a list passes; the next open one is given to the agent. */
        features: string | { file: string };
      }
    | {
        /** No unticked "- [ ]" items are left. */
        checklist: string | { file: string; section?: string };
        /** Only the items below this heading. */
        section?: string;
      }
    | {
        /** The state of the repository: clean tree, everything committed, pushed, on a branch. */
        git: 'clean' | 'committed' | 'pushed' | ('clean' | 'committed' | 'pushed' | { branch: string })[] | { checks?: 'clean' | 'committed' | 'pushed' | ('clean' | 'committed' | 'pushed' | { branch: string })[]; branch?: string };
        /** The branch that has to be checked out. */
        branch?: string;
      }
    | {
        /** Lines added since the start contain none of these. */
        forbid: ('debug' | 'debugger' | 'todo' | 'placeholder' | 'secrets' | 'private_keys' | { name: string; pattern: string })[] | { patterns: ('debug' | 'debugger' | 'todo' | 'placeholder' | 'secrets' | 'private_keys' | { name: string; pattern: string })[]; paths?: string[] };
        /** Only files that one of these globs fits. */
        paths?: string[];
      }
    | {
        /** Tests were not weakened since the start: none deleted, skipped or emptied. */
        tests_intact: true | { paths?: string[] };
        /** Which files are tests; the usual names when absent. */
        paths?: string[];
      }
    | {
        /** Runs the tests of the start on the code of now, and the tests of now on the code of the start, in clean rooms. */
        differential: string | { command: string; cwd?: string; env?: Record<string, string | number | boolean>; tests?: string[]; checks?: ('old_tests' | 'new_tests' | 'change')[]; may_change?: string[]; resolve?: 'person' | 'judge'; model?: string; max_cost?: number; runs?: number; time?: string; min?: number };
        /** The folder to run in, relative to the project. */
        cwd?: string;
        /** Variables added to the environment of the command. */
        env?: Record<string, string | number | boolean>;
        /** Which files are tests, with their fixtures and snapshots; the usual places when absent. */
        tests?: string[];
        /** What is measured; all when absent. old_tests: the tests of the start on the code of now. new_tests: the tests of now on the code of the start. change: whether a test fails when changed lines are undone. */
        checks?: ('old_tests' | 'new_tests' | 'change')[];
        /** Tests that may expect something else than at the start. */
        may_change?: string[];
        /** Who says whether the task asks for a test that expects something else now. person (default): you. judge: a model. */
        resolve?: 'person' | 'judge';
        /** The model to ask. */
        model?: string;
        /** What one judgement may cost, in US dollars. */
        max_cost?: number;
        /** The most runs of the tests for the check change. Without runs, time and min it takes about half a run of the tests. */
        runs?: number;
        /** The most time for the check change. */
        time?: string;
        /** The share of the changed lines that have to be tested: a test fails when they are undone. When absent, untested lines are told and hold nobody. */
        min?: number;
        /** Files that the verdict depends on. A pass counts until one of them changes, or a new one fits. Without it, until anything changes. */
        inputs?: string[];
        /** How many passes in a row are asked for. The first failure ends it. */
        repeat?: number;
      }
    | {
        /** No line added since the start mutes a linter, a compiler or coverage, or asks whether it is being tested. When the agent insists, you are asked. */
        suppressions: true | { allow?: ('lint' | 'types' | 'coverage' | 'sniffing' | 'settings' | 'eslint-disable' | 'eslint-rule-off' | 'biome-ignore' | 'oxlint-disable' | 'deno-lint-ignore' | 'tslint-disable' | 'jshint-ignore' | 'stylelint-disable' | 'ts-nocheck' | 'ts-ignore' | 'ts-expect-error' | 'flow-ignore' | 'istanbul-ignore' | 'c8-ignore' | 'node-coverage' | 'noqa' | 'pylint-disable' | 'nosec' | 'type-ignore' | 'pyright-ignore' | 'mypy-ignore' | 'pytype-disable' | 'no-type-check' | 'no-cover' | 'nolint' | 'lint-ignore' | 'allow-lint' | 'coverage-off' | 'suppress-warnings' | 'scalastyle-off' | 'ktlint-disable' | 'rubocop-disable' | 'sorbet-untyped' | 'phpcs-ignore' | 'phpstan-ignore' | 'coverage-excluded' | 'pragma-warning' | 'suppress-message' | 'resharper-disable' | 'swiftlint-disable' | 'dart-ignore' | 'credo-disable' | 'clang-tidy-nolint' | 'diagnostic-ignored' | 'luacheck-ignore' | 'shellcheck-disable' | 'hadolint-ignore' | 'noinspection' | 'checkstyle-off' | 'nocov' | 'lint-comment' | 'ends-the-program' | 'file-of-tests' | 'runner-variable' | 'test-environment' | 'test-variable' | 'npm-lifecycle' | 'runner-globals' | 'vitest-mode' | 'command-line' | 'sys-modules' | 'go-testing' | 'cfg-test' | 'rust-arguments' | 'junit-present' | 'ruby-testing' | 'php-testing' | 'dotnet-testing' | 'mix-env' | 'xctest' | 'call-stack')[]; paths?: string[] };
        /** Groups, or names of single ones, that are no findings. The receipt lists them. */
        allow?: ('lint' | 'types' | 'coverage' | 'sniffing' | 'settings' | 'eslint-disable' | 'eslint-rule-off' | 'biome-ignore' | 'oxlint-disable' | 'deno-lint-ignore' | 'tslint-disable' | 'jshint-ignore' | 'stylelint-disable' | 'ts-nocheck' | 'ts-ignore' | 'ts-expect-error' | 'flow-ignore' | 'istanbul-ignore' | 'c8-ignore' | 'node-coverage' | 'noqa' | 'pylint-disable' | 'nosec' | 'type-ignore' | 'pyright-ignore' | 'mypy-ignore' | 'pytype-disable' | 'no-type-check' | 'no-cover' | 'nolint' | 'lint-ignore' | 'allow-lint' | 'coverage-off' | 'suppress-warnings' | 'scalastyle-off' | 'ktlint-disable' | 'rubocop-disable' | 'sorbet-untyped' | 'phpcs-ignore' | 'phpstan-ignore' | 'coverage-excluded' | 'pragma-warning' | 'suppress-message' | 'resharper-disable' | 'swiftlint-disable' | 'dart-ignore' | 'credo-disable' | 'clang-tidy-nolint' | 'diagnostic-ignored' | 'luacheck-ignore' | 'shellcheck-disable' | 'hadolint-ignore' | 'noinspection' | 'checkstyle-off' | 'nocov' | 'lint-comment' | 'ends-the-program' | 'file-of-tests' | 'runner-variable' | 'test-environment' | 'test-variable' | 'npm-lifecycle' | 'runner-globals' | 'vitest-mode' | 'command-line' | 'sys-modules' | 'go-testing' | 'cfg-test' | 'rust-arguments' | 'junit-present' | 'ruby-testing' | 'php-testing' | 'dotnet-testing' | 'mix-env' | 'xctest' | 'call-stack')[];
        /** Only files that one of these globs fits. */
        paths?: string[];
      }
    | {
        /** Runs tests that the agent never sees (untildone holdout add), laid over the work in a clean room; it passes when the command ends with exit code 0. */
        holdout: string | { command: string; cwd?: string; reveal?: 'count' | 'names' | 'output' };
        /** The folder to run in, relative to the project. */
        cwd?: string;
        /** What the agent is told of a failure. count (default): how many tests fail. names: which. output: what they print. */
        reveal?: 'count' | 'names' | 'output';
      }
    | {
        /** Claude Code's own task list has no open items. */
        tasks: true;
      }
    | {
        /** Counts of this loop are as large, or as small, as asked for. A claim: an agent can do anything as often as it is asked to. */
        metrics: true | { tool_use?: number | string; tool_usage?: number | string; bash_commands?: number | string; file_operations?: number | string; search_operations?: number | string; tool_errors?: number | string; iterations?: number | string; lock_blocks?: number | string; tokens?: number | string; cost_usd?: number | string };
        /** Calls of tools, since the loop began. */
        tool_use?: number | string;
        /** The same as tool_use, since the loop began. */
        tool_usage?: number | string;
        /** Calls of Bash, since the loop began. */
        bash_commands?: number | string;
        /** Calls of Read, Write, Edit and their kind, since the loop began. */
        file_operations?: number | string;
        /** Calls of Grep, Glob, WebSearch and their kind, since the loop began. */
        search_operations?: number | string;
        /** Calls of tools that failed or were refused, since the loop began. */
        tool_errors?: number | string;
        /** Iterations, since the loop began. */
        iterations?: number | string;
        /** Stops that were held, since the loop began. */
        lock_blocks?: number | string;
        /** Tokens spent, as of the Stop before, since the loop began. */
        tokens?: number | string;
        /** US dollars spent, as of the Stop before, since the loop began. */
        cost_usd?: number | string;
      }
    | {
        /** The agent's final message states this. A claim, not a proof. */
        promise: string;
      }
    | {
        /** A model answers a question about the diff and the task; about the conversation, too, if you like. */
        judge: string | { question: string; model?: string; max_cost?: number; transcript?: boolean };
        /** The model to ask. */
        model?: string;
        /** What one judgement may cost, in US dollars. */
        max_cost?: number;
        /** Show the model the end of the conversation, too. */
        transcript?: boolean;
      }
    | {
        /** An agent verifies the work in a worktree that is thrown away. */
        agent: string | { instruction: string; model?: string; max_cost?: number; max_turns?: number };
        /** The model to ask. */
        model?: string;
        /** What one judgement may cost, in US dollars. */
        max_cost?: number;
        /** How many turns it may take. */
        max_turns?: number;
      }
    | {
        /** The checks of the pushed commit have passed. */
        ci: 'github' | { provider: 'github'; checks?: string[]; wait?: string };
        /** Only these checks; the required ones, or all, when absent. */
        checks?: string[];
        /** How long to wait for checks that still run. */
        wait?: string;
      }
    | {
        /** A gate of your own: a module, or an executable that speaks JSON. */
        custom: string | { file: string; with?: Record<string, unknown> };
        /** Handed to the gate as it is. */
        with?: Record<string, unknown>;
        /** Files that the verdict depends on. A pass counts until one of them changes, or a new one fits. Without it, until anything changes. */
        inputs?: string[];
        /** How many passes in a row are asked for. The first failure ends it. */
        repeat?: number;
      }
    | {
        /** Runs a command that was written as a Stop hook of Claude Code, and takes its answer. */
        hook: string | { command: string };
      }
    | {
        /** The text of a prompt or of a task: what it must not hold, what it has to hold, how long it is. */
        text: ('secrets' | 'private_keys' | 'todo' | 'placeholder' | { name: string; pattern: string })[] | { forbid?: ('secrets' | 'private_keys' | 'todo' | 'placeholder' | { name: string; pattern: string })[]; matches?: string; say?: string; at_least?: number; at_most?: number };
        /** A JavaScript regular expression that some line of it has to match. */
        matches?: string;
        /** What is said when no line matches: what to add, not the expression. */
        say?: string;
        /** At least so many characters. */
        at_least?: number;
        /** At most so many characters. */
        at_most?: number;
      }
    | {
        /** Something was written down since the start: a file, or a section of it. A claim that people can read. */
        artefact: string | { file: string; section?: string; has?: (string | { name: string; pattern: string })[]; words?: number };
        /** Only what stands below this heading. */
        section?: string;
        /** Patterns that a line of it has to fit; a pattern each, or { name, pattern }. */
        has?: (string | { name: string; pattern: string })[];
        /** How many words of text it has at least; 20 when absent. Placeholders do not count. */
        words?: number;
      }
    | {
        /** Something was changed since the start. */
        changed: true | string[] | { paths?: true | string[]; except?: string[] };
        /** Files that do not count. */
        except?: string[];
      }
    | {
        /** You said yes: untildone approve NAME. The loop waits for your answer when everything else passes. */
        approve: string | { ask: string; file?: string };
        /** The file that you approve, with the text that it has then; ticks may still change. */
        file?: string;
      }
    | {
        /** All subagents of this type have ended and passed their gates, and there were as many as asked for. */
        subagents: string | { type: string; at_least?: number };
        /** How many there have to be (default: 1). */
        at_least?: number;
      }
    | {
        /** Passes when every one of these gates passes. */
        all: string[] | { gates: string[] };
      }
    | {
        /** Passes when one of these gates passes. */
        any: string[] | { gates: string[] };
      }
  );

/** A contract with the keys of `untildone.yaml`: docs/reference/contract.md. */
export interface ContractInput {
  /** The gates by name: { <kind>: <what>, ...options }. */
  gates?: Record<string, GateInput>;
  /** The task of loops that are started without one. */
  task?: string;
  /** What a loop has to pass. Absent: every gate that is no part of an all or any. */
  done?: string[];
  /** Standing gates: judged at every Stop of every session, loop or not. */
  every_stop?: string[] | { gates: string[]; blocks?: number };
  /** Gates for SubagentStop, by agent type; "*" stands for any characters. */
  subagent?: Record<string, string[]>;
  /** Gates for TaskCreated. */
  task_created?: string[];
  /** Gates for TaskCompleted. */
  task_done?: string[];
  /** Gates for TeammateIdle. */
  teammate?: string[];
  /** Gates for your prompts (UserPromptSubmit), and a text that the model gets with each of them. */
  prompt?: string[] | { gates?: string[]; tell?: string; tell_file?: string };
  /** Ready-made phases with their gates; your own gate of the same name takes the place of one of them. */
  preset?: 'verified-done';
  /** Of preset verified-done: from 7 on, and when absent, there is an adversarial review. */
  complexity?: number;
  /** The order of the work. A loop is held in a phase until its exit gates pass. */
  phases?: Record<string, { do?: string; entry?: string[]; exit?: string[]; checkpoint?: true | string | { ask: string; file?: string }; limits?: { iterations?: number; duration?: string } }>;
  /** The pieces of a plan, each with its own gates. Together they are the gate "chunks". */
  chunks?: Record<string, { do: string; gates: string[]; after?: string[] }>;
  /** What ends a loop that is not done. */
  limits?: { iterations?: number | 'unlimited'; duration?: string; cost_usd?: number | 'unlimited'; tokens?: number | string; stall?: number; context?: number };
  /** What failed before the work began, and holds nobody until it has passed once. */
  known_failures?: ({ gate: string; test?: string; since?: string; reason?: string })[];
  /** Notes in the project: sessions are told what they say, and loops write their progress into them. */
  memory?: string | { files: string | string[]; lines?: number; inject?: ('startup' | 'resume' | 'clear' | 'compact' | 'fork')[]; update?: boolean };
  /** Whether sessions of this project are looked back on when they end. */
  reflection?: boolean | { enabled?: boolean; triggers?: ('session_end')[]; min_turns?: number };
  /** How the sessions of `untildone run` are started; flags of the command win. */
  run?: { model?: string; permission_mode?: 'acceptEdits' | 'default' | 'dontAsk' | 'plan' | 'auto'; allow?: string[]; max_turns?: number; mode?: 'hybrid' | 'session' | 'fresh'; fresh_every?: number; idle_timeout?: string; session_duration?: string; system_prompt?: string; setup?: string | string[] | { run: string | string[]; found?: string[]; inputs?: string[] }; client?: Record<string, unknown> };
  /** Where commands of gates run. clean: in a fresh copy of the tree, outside of the project. project (default): in the folder in which the agent works. */
  room?: 'clean' | 'project';
  /** Prepares a clean room, and a fresh worktree of a run: npm ci. Made once for the content of `inputs`. as_found: the dependencies as they lay in the project when the loop began. */
  setup?: string | string[] | { run: string | string[]; found?: string[]; inputs?: string[] };
  /** Files that git ignores and that commands in a clean room need, as they are at the start. */
  needs?: string[];
  /** Variables that may hold secrets and that commands in a clean room need. */
  pass_env?: string[];
  /** Walls around commands of gates and the shell of runs. required: nothing runs without. preferred: where there are any. off (default). */
  sandbox?: 'required' | 'preferred' | 'off';
  /** Whether commands of gates reach the network inside walls (default false). */
  network?: boolean;
  /** What tools may do in sessions of the project; safe: dangerous commands and the usual paths. */
  tools?: 'safe' | { dangerous?: boolean; protect?: string[]; hide?: string[]; deny?: (string | { rule: string; say?: string })[]; allow?: string[]; rewrite?: ({ tool: string; field: string; pattern: string; with: string })[] };
  /** continue (default): the session goes on, and Claude Code compacts it. spawn: a detached run takes over. */
  on_context?: 'continue' | 'spawn';
  /** What happens when the agent asks something (untildone ask). wait (default): the loop waits for you. decide: the agent decides, and writes it down. end: the loop ends. */
  ask?: 'wait' | 'decide' | 'end' | { policy?: 'wait' | 'decide' | 'end'; timeout?: string };
  /** Whether sessions are told what gates said in earlier loops (default true): untildone lessons. */
  lessons?: boolean;
  /** Whom to tell when a loop ends or needs you. */
  notify?: ({ webhook?: string; command?: string; desktop?: true; on?: ('done' | 'verified_done' | 'claimed_done' | 'reached_limit' | 'stalled' | 'idle' | 'capped' | 'cancelled' | 'released' | 'failed' | 'needs_person')[] })[];
}
