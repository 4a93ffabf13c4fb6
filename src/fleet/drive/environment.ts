/** The environment of a run: what programs, Claude Code and git need, and the variables that its spec names. */

/** Claude Code and the services behind it, git, proxies and certificates, the system. */
const KEPT =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TZ|TMPDIR|TEMP|TMP|TERM|COLORTERM|NO_COLOR|SSH_AUTH_SOCK|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|(?:HTTPS?|ALL|NO)_PROXY|(?:LC|ANTHROPIC|CLAUDE|AWS|GOOGLE|CLOUD_ML|VERTEX|GIT|OTEL|XDG)_\w+|GCLOUD_PROJECT|DISABLE_(?:AUTOUPDATER|TELEMETRY|ERROR_REPORTING)|(?:SYSTEMROOT|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|USERPROFILE|PROGRAMDATA|PROGRAMFILES))$/i;

/** What belongs to a session of Claude Code around the worker. */
const OF_A_SESSION =
  /^CLAUDE_(?:PID|EFFORT|ENV_FILE|PROJECT_DIR|PLUGIN_\w+|AGENT_SDK_\w+|CODE_(?:ENTRYPOINT|EXECPATH|CHILD_SESSION|(?:SESSION|MESSAGING|SDK)_\w+|OAUTH_TOKEN_FILE_DESCRIPTOR))$/;

/** The queue and the secret of the fleet, whoever names them. */
const NEVER = /^UNTILDONE_(?:QUEUE|FLEET)\w*$/i;
/** Marks everything that the process of a run starts, so that its worker finds it. */
const WORKERS_MARK = 'UNTILDONE_FLEET_PROCESS';

/** The variables of a worker that the process of a run gets. `names`: what the spec asks for. */
export function runEnvironment(env: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  const asked = new Set(names);
  const isKept = (name: string) =>
    name === WORKERS_MARK ||
    (!NEVER.test(name) && (asked.has(name) || (KEPT.test(name) && !OF_A_SESSION.test(name))));
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && isKept(entry[0]),
    ),
  );
}

/** The names that the spec asks for and this worker cannot give. */
export function missingVariables(env: NodeJS.ProcessEnv, names: readonly string[]): string[] {
  return names.filter((name) => env[name] === undefined || NEVER.test(name));
}
