/**
 * Variables in the `env` of Claude Code's settings. Claude Code gives them to our hooks, so some of them change what the hooks
 * do. A variable that Claude Code was started with, with the same value, changes nothing.
 */
import { asFields } from '../fields.ts';

/** They load code into every program, choose which programs run, or say where our hooks look. A star stands for the rest. */
const DECISIVE = [
  ...['UNTILDONE_*', 'HOME', 'USERPROFILE', 'PATH', 'ENV', 'BASH_ENV', 'BASH_FUNC_*'],
  ...['SHELL', 'SHELLOPTS', 'BASHOPTS', 'PS4', 'IFS', 'COMSPEC', 'LD_*', 'DYLD_*', 'GCONV_PATH', 'LOCPATH'],
  ...['NODE_OPTIONS', 'NODE_PATH', 'OPENSSL_CONF', 'OPENSSL_MODULES'],
  ...[
    'CLAUDE_CONFIG_DIR',
    'CLAUDE_PLUGIN_ROOT',
    'CLAUDE_CODE_SESSION_ID',
    'CLAUDE_PROJECT_DIR',
    'CLAUDE_PID',
  ],
  ...['CLAUDE_CODE_SIMPLE', 'CLAUDE_CODE_SAFE_MODE', 'CLAUDE_CODE_PERSONAL_HOOKS_OFF'],
  ...['CLAUDE_CODE_SHELL', 'CLAUDE_CODE_SHELL_PREFIX', 'CLAUDE_CODE_SHELL_LAUNCHER_SCRIPT'],
  ...['CLAUDE_CODE_GIT_BASH_PATH', 'CLAUDE_CODE_USE_POWERSHELL_TOOL'],
];

/** They bring back Claude Code's cap on blocks, or change what gates find. */
const BENDING = [
  ...['CLAUDE_CODE_STOP_HOOK_BLOCK_CAP', 'CLAUDE_CODE_HOOK*', 'CLAUDE_CODE_DISABLE_HOOK*', 'CLAUDE_ENV_FILE'],
  ...['GIT_*', 'NODE_*', 'npm_config_*', 'NPM_CONFIG_*', 'MAKEFLAGS', 'RUSTC*', 'PYTEST_*', 'PYTHONPATH'],
  ...['PYTHONHOME', 'PYTHONSTARTUP', 'RUBYOPT', 'RUBYLIB', 'PERL5OPT', 'PERL5LIB'],
  ...['_JAVA_OPTIONS', 'JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS'],
];

function isAmong(names: readonly string[], name: string): boolean {
  if (name === 'NODE_EXTRA_CA_CERTS') return false;
  return names.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each));
}

/** Options of Node that load nothing. */
const PLAIN_OPTIONS =
  /^(?:\s*--(?:max-(?:old|semi)-space-size=\d+|max-http-header-size=\d+|stack-trace-limit=\d+|no-(?:warnings|deprecation)|trace-(?:warnings|deprecation|uncaught)|enable-source-maps|dns-result-order=\w+))*\s*$/;

/** Switches of Claude Code that are not on. */
const OFF = /^(?:0|false|no|off)?$/i;

/** The first variable that would change what our hooks do, or what their gates find. */
export function harmfulVariable(given: unknown, env: NodeJS.ProcessEnv): string | undefined {
  return changed(given, env).find(([name]) => isAmong(DECISIVE, name) || isAmong(BENDING, name))?.[0];
}

/**
 * The first variable with which nobody can say, without running what it names, whether our hooks hold. Your own PATH, in your
 * own settings, is none.
 */
export function decisiveVariable(
  given: unknown,
  env: NodeJS.ProcessEnv,
  { isYours }: { isYours: boolean },
): string | undefined {
  return changed(given, env).find(([name, value]) => {
    if (isYours && (name === 'PATH' || name === 'SHELL')) return false;
    if (name === 'NODE_OPTIONS') return !PLAIN_OPTIONS.test(value);
    const isSwitch = /^CLAUDE_CODE_(?:SIMPLE|SAFE_MODE|PERSONAL_HOOKS_OFF|USE_POWERSHELL_TOOL)$/.test(name);
    return isAmong(DECISIVE, name) && !(isSwitch && OFF.test(value));
  })?.[0];
}

function changed(given: unknown, env: NodeJS.ProcessEnv): [name: string, value: string][] {
  return Object.entries(asFields(given) ?? {})
    .map(([name, value]): [string, string] => [name, String(value)])
    .filter(([name, value]) => value !== env[name]);
}
