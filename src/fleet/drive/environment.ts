/**
 * Which variables of a worker its runs get. Sessions, their tools and gates get what programs and the chosen provider of the
 * model need, and what is named. The process around them has besides what git needs to reach the remote.
 */

/** The system, locale, proxies, certificates, who commits are from, Claude Code. */
const KEPT =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TZ|TMPDIR|TEMP|TMP|TERM|COLORTERM|NO_COLOR|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|(?:HTTPS?|ALL|NO)_PROXY|(?:LC|ANTHROPIC|CLAUDE|XDG)_\w+|OTEL_(?!\w*(?:HEADERS|KEY)$)\w+|GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM))|DISABLE_(?:AUTOUPDATER|TELEMETRY|ERROR_REPORTING)|(?:SYSTEMROOT|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|USERPROFILE|PROGRAMDATA|PROGRAMFILES))$/i;

/** What belongs to one choice, by the variable that makes it. */
const BY_CHOICE: readonly { choice: string; needs: RegExp }[] = [
  { choice: 'CLAUDE_CODE_USE_BEDROCK', needs: /^AWS_\w+$/i },
  { choice: 'CLAUDE_CODE_USE_VERTEX', needs: /^(?:(?:GOOGLE|CLOUD_ML|VERTEX)_\w+|GCLOUD_PROJECT)$/i },
  { choice: 'CLAUDE_CODE_USE_FOUNDRY', needs: /^AZURE_\w+$/i },
  { choice: 'CLAUDE_CODE_ENABLE_TELEMETRY', needs: /^OTEL_\w+$/i },
];

/** How git reaches a remote. A session that has it could push what it likes. */
const OF_GIT = /^(?:SSH_AUTH_SOCK|GIT_\w+)$/i;

/** What belongs to a session of Claude Code around the worker. */
const OF_A_SESSION =
  /^CLAUDE_(?:PID|EFFORT|ENV_FILE|PROJECT_DIR|PLUGIN_\w+|AGENT_SDK_\w+|CODE_(?:ENTRYPOINT|EXECPATH|CHILD_SESSION|(?:SESSION|MESSAGING|SDK)_\w+|OAUTH_TOKEN_FILE_DESCRIPTOR))$/;

/** The queue and the secret of the fleet, whoever names them. */
const NEVER = /^UNTILDONE_(?:QUEUE|FLEET)\w*$/i;
/** Marks everything that the process of a run starts, so that its worker finds it. */
const WORKERS_MARK = 'UNTILDONE_FLEET_PROCESS';

/** The variables that sessions and gates of a run get. `names`: what its spec and its worker name. */
export function runEnvironment(env: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  const asked = new Set(names);
  const chosen = BY_CHOICE.filter(({ choice }) => isOn(env[choice])).map(({ needs }) => needs);
  const isNeeded = (name: string) => KEPT.test(name) || chosen.some((needs) => needs.test(name));
  return only(
    env,
    (name) =>
      name === WORKERS_MARK ||
      (!NEVER.test(name) && (asked.has(name) || (isNeeded(name) && !OF_A_SESSION.test(name)))),
  );
}

/** The variables that the process of a run gets. */
export function processEnvironment(env: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  return { ...runEnvironment(env, names), ...only(env, (name) => OF_GIT.test(name)) };
}

function only(env: NodeJS.ProcessEnv, isKept: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && isKept(entry[0]),
    ),
  );
}

function isOn(value = ''): boolean {
  return !/^(?:0|false|no|off|)$/i.test(value.trim());
}

/** The names that are asked for and this worker cannot give. */
export function missingVariables(env: NodeJS.ProcessEnv, names: readonly string[]): string[] {
  return names.filter((name) => env[name] === undefined || NEVER.test(name));
}
