/** The Claude Code client: where it is on this machine, and an environment in which it talks to nobody else. */
import { accessSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, isAbsolute, join, resolve } from 'node:path';

export interface FoundClaude {
  path: string;
  source: 'given' | 'PATH' | 'bundled';
}

export interface FindClaudeOptions {
  /** Take the client of the Agent SDK before the one on PATH: its version is known. */
  preferBundled?: boolean;
  /** Searched instead of the PATH of this process. */
  searchPath?: string;
}

const SDK = '@anthropic-ai/claude-agent-sdk';

/** `given` is a path, or a name to look up on PATH; when it is no executable file nothing else is tried. */
export function findClaude(given?: string, options: FindClaudeOptions = {}): FoundClaude | undefined {
  const searchPath = options.searchPath ?? process.env.PATH ?? '';
  if (given !== undefined) {
    const path = given === basename(given) ? (onPath(given, searchPath) ?? resolve(given)) : resolve(given);
    return isExecutable(path) ? { path, source: 'given' } : undefined;
  }
  const findOnPath = (): FoundClaude | undefined => {
    const path = onPath(executableName(), searchPath);
    return path === undefined ? undefined : { path, source: 'PATH' };
  };
  const findBundled = (): FoundClaude | undefined => {
    const path = bundledClaude();
    return path === undefined ? undefined : { path, source: 'bundled' };
  };
  return options.preferBundled ? (findBundled() ?? findOnPath()) : (findOnPath() ?? findBundled());
}

function executableName(): string {
  return process.platform === 'win32' ? 'claude.exe' : 'claude';
}

/** Relative entries of PATH are left out: a project must not be able to put its own `claude` in the way. */
function onPath(name: string, searchPath: string): string | undefined {
  const folders = searchPath.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The SDK keeps the client in one optional package a platform; package managers put it beside the SDK or inside it. */
function bundledClaude(): string | undefined {
  const here = createRequire(typeof __filename === 'string' ? __filename : import.meta.url);
  const sdk = resolved(here, SDK);
  const anchors = sdk === undefined ? [here] : [here, createRequire(sdk)];
  const found = (libc: string): string | undefined => {
    const file = `${SDK}-${process.platform}-${process.arch}${libc}/${executableName()}`;
    return anchors
      .map((anchor) => resolved(anchor, file))
      .find((path) => path !== undefined && isExecutable(path));
  };
  const plain = found('');
  const musl = process.platform === 'linux' ? found('-musl') : undefined;
  return plain !== undefined && musl !== undefined ? (runsOnMusl() ? musl : plain) : (plain ?? musl);
}

function resolved(from: NodeJS.Require, specifier: string): string | undefined {
  try {
    return from.resolve(specifier);
  } catch {
    return undefined;
  }
}

/** Asked only when both packages are there: the report is slow to make. */
function runsOnMusl(): boolean {
  const report: unknown = process.report.getReport();
  const { header } = report as { header?: { glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime === undefined;
}

export interface CleanEnvironmentOptions {
  /** A scratch folder that stands for the user's home. */
  home: string;
  /** The address of the simulator. */
  baseUrl: string;
  /** Added last; undefined takes a variable away. */
  extra?: Record<string, string | undefined>;
}

const FAKE_KEY = 'simulated-key-000000000000000000000000';

/** Of this process only PATH and TMPDIR go along: no key, no login, no setting of the person who runs this. */
export function cleanEnvironment(options: CleanEnvironmentOptions): Record<string, string> {
  const { PATH, TMPDIR } = process.env;
  const environment = {
    PATH,
    TMPDIR,
    HOME: options.home,
    LANG: 'C.UTF-8',
    ANTHROPIC_BASE_URL: options.baseUrl,
    ANTHROPIC_API_KEY: FAKE_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
    DISABLE_AUTOUPDATER: '1',
    ...options.extra,
  };
  const entries = Object.entries(environment);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Answers, in a scratch home, what the client asks a person at its first start in a terminal. */
export function prepareClientHome(home: string, trustedProjects: readonly string[] = []): void {
  const projects = trustedProjects.map((project) => [project, { hasTrustDialogAccepted: true }]);
  const answers = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    // The client knows a key by its last 20 characters.
    customApiKeyResponses: { approved: [FAKE_KEY.slice(-20)], rejected: [] },
    projects: Object.fromEntries(projects),
  };
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, '.claude.json'), JSON.stringify(answers), { mode: 0o600 });
}
