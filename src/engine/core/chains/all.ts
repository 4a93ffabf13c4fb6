/** The facts of all chains, each in a list of its own: a bundle carries only the facts that it asks for. */
import * as apple from './apple.ts';
import type { ToolChain } from './chain.ts';
import * as dart from './dart.ts';
import * as docs from './docs.ts';
import * as dotnet from './dotnet.ts';
import * as elixir from './elixir.ts';
import * as go from './go.ts';
import * as java from './java.ts';
import * as make from './make.ts';
import * as native from './native.ts';
import * as node from './node.ts';
import * as php from './php.ts';
import * as python from './python.ts';
import * as ruby from './ruby.ts';
import * as rust from './rust.ts';
import * as scripts from './scripts.ts';
import * as shell from './shell.ts';

type All<Fact extends keyof ToolChain> = readonly NonNullable<ToolChain[Fact]>[];

export const sources: All<'sources'> = [
  node.sources,
  python.sources,
  go.sources,
  rust.sources,
  java.sources,
  ruby.sources,
  php.sources,
  dotnet.sources,
  apple.sources,
  dart.sources,
  elixir.sources,
  native.sources,
  scripts.sources,
  shell.sources,
];

export const tests: All<'tests'> = [
  node.tests,
  python.tests,
  go.tests,
  java.tests,
  ruby.tests,
  php.tests,
  dotnet.tests,
  apple.tests,
  dart.tests,
  scripts.tests,
  shell.tests,
];

export const runnerSettings: All<'runnerSettings'> = [
  node.runnerSettings,
  python.runnerSettings,
  rust.runnerSettings,
  java.runnerSettings,
  ruby.runnerSettings,
  php.runnerSettings,
  dotnet.runnerSettings,
  make.runnerSettings,
];

export const sharedSettings: All<'sharedSettings'> = [node.sharedSettings];

export const dependencyFiles: All<'dependencyFiles'> = [
  node.dependencyFiles,
  python.dependencyFiles,
  go.dependencyFiles,
  rust.dependencyFiles,
  java.dependencyFiles,
  ruby.dependencyFiles,
  php.dependencyFiles,
  dotnet.dependencyFiles,
  dart.dependencyFiles,
  elixir.dependencyFiles,
];

export const inputs: All<'inputs'> = [
  node.inputs,
  python.inputs,
  go.inputs,
  rust.inputs,
  java.inputs,
  ruby.inputs,
  php.inputs,
];

export const settings: All<'settings'> = [
  node.settings,
  python.settings,
  go.settings,
  rust.settings,
  java.settings,
  ruby.settings,
  native.settings,
];

export const homeSettings: All<'homeSettings'> = [
  node.homeSettings,
  python.homeSettings,
  go.homeSettings,
  rust.homeSettings,
  java.homeSettings,
  ruby.homeSettings,
];

export const leaves: All<'leaves'> = [node.leaves, python.leaves, rust.leaves, java.leaves];

export const installed: All<'installed'> = [
  node.installed,
  python.installed,
  ruby.installed,
  php.installed,
  apple.installed,
  elixir.installed,
];

export const warmUps: All<'warmUps'> = [go.warmUps];

export const installCommands: All<'installCommands'> = [node.installCommands];

export const checks: All<'checks'> = [
  node.checks,
  python.checks,
  go.checks,
  rust.checks,
  java.checks,
  ruby.checks,
  php.checks,
  dotnet.checks,
  apple.checks,
  dart.checks,
  elixir.checks,
  native.checks,
  scripts.checks,
  make.checks,
  shell.checks,
  docs.checks,
];

export const otherOptions: All<'otherOptions'> = [
  node.otherOptions,
  python.otherOptions,
  go.otherOptions,
  java.otherOptions,
  ruby.otherOptions,
  dotnet.otherOptions,
  native.otherOptions,
  make.otherOptions,
];

export const narrows: All<'narrows'> = [go.narrows, rust.narrows];

export const weakCalls: All<'weakCalls'> = [native.weakCalls, make.weakCalls];

export const mutes: All<'mutes'> = [
  node.mutes,
  python.mutes,
  go.mutes,
  rust.mutes,
  java.mutes,
  ruby.mutes,
  php.mutes,
  dotnet.mutes,
  apple.mutes,
  dart.mutes,
  elixir.mutes,
  native.mutes,
  scripts.mutes,
  shell.mutes,
  docs.mutes,
];
