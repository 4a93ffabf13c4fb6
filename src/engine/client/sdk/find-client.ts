/** Finds Claude Code on this machine, and makes an environment in which it talks only to the simulator. */
import { accessSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, isAbsolute, join, resolve } from 'node:path';

export interface FoundClaude {
  path: string;
  source: 'given' | 'PATH' | 'bundled';
}

export interface FindClaudeOptions {
  /** Prefer the one of the Agent SDK to the one on PATH, because its version is known. */
  preferBundled?: boolean;
  /** Searched instead of the PATH of this process. */
  searchPath?: string;
}

const SDK = '@anthropic-ai/claude-agent-sdk';

/** `given` is a path, or a name to look up on PATH. When it is not an executable file, nothing else is tried. */
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

export function executableName(platform = process.platform): string {
  return platform === 'win32' ? 'claude.exe' : 'claude';
}

/** Ignores relative entries of PATH, so that a project cannot supply its own `claude`. */
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

/** The Claude Code of the Agent SDK. It is an optional package for each platform, beside the SDK or inside it. */
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

/** Whether this system uses musl. The report is slow, so this is asked only when both packages are installed. */
function runsOnMusl(): boolean {
  const report: unknown = process.report.getReport();
  const { header } = report as { header?: { glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime === undefined;
}

export interface CleanEnvironmentOptions {
  /** A scratch folder to use as the user's home. */
  home: string;
  /** The address of the simulator. */
  baseUrl: string;
  /** Added last; undefined removes a variable. */
  extra?: Record<string, string | undefined>;
}

const FAKE_KEY = 'simulated-key-000000000000000000000000';

/** An environment with only PATH and TMPDIR of this process: no key, no login and no settings of yours. */
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

/** Answers in a scratch home what Claude Code asks at its first start in a terminal. */
export function prepareClientHome(home: string, trustedProjects: readonly string[] = []): void {
  const projects = trustedProjects.map((project) => [project, { hasTrustDialogAccepted: true }]);
  const answers = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    // Claude Code recognises a key by its last 20 characters.
    customApiKeyResponses: { approved: [FAKE_KEY.slice(-20)], rejected: [] },
    projects: Object.fromEntries(projects),
  };
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, '.claude.json'), JSON.stringify(answers), { mode: 0o600 });
}
