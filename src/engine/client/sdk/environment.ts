/** The environment of Claude Code when untildone starts it: your own for a session, only your login for a question. */
import { join } from 'node:path';
import { userHome } from '../../files/system.ts';
import { readSmall } from '../../files/whole-file.ts';
import { asFields, type Fields, parseFields } from '../fields.ts';

/**
 * Variables of Claude Code that say how to log in, which service to use and how to reach it. All others belong to the session
 * that untildone may run in: a new process that inherits them takes itself for a part of that session.
 */
const KEPT_OF_CLAUDE = new RegExp(
  `^CLAUDE_(?:${[
    'CONFIG_DIR',
    'SECURESTORAGE_CONFIG_DIR',
    'CODE_OAUTH_(?:TOKEN|REFRESH_TOKEN|SCOPES)',
    'CODE_API_KEY_HELPER_TTL_MS',
    'CODE_USE_(?:BEDROCK|VERTEX|FOUNDRY|MANTLE|GATEWAY|ANTHROPIC_\\w+)',
    'CODE_SKIP_\\w+_AUTH',
    'CODE_CLIENT_(?:CERT|KEY|KEY_PASSPHRASE)',
    'CODE_CERT_STORE',
    'CODE_(?:ENABLE_)?PROXY_\\w+',
    'CODE_DISABLE_\\w+',
    'CODE_MAX_(?:RETRIES|OUTPUT_TOKENS)',
    'CODE_(?:TMPDIR|GIT_BASH_PATH)',
  ].join('|')})$`,
);

/** Other variables of your settings that are about the login. */
const LOGIN_VARIABLE =
  /^(?:ANTHROPIC_|AWS_|VERTEX_|GOOGLE_|CLOUD_ML_|(?:HTTPS?|NO)_PROXY$|NODE_EXTRA_CA_CERTS$)/i;

const LOGIN_SETTINGS = ['apiKeyHelper', 'awsAuthRefresh', 'awsCredentialExport', 'gcpAuthRefresh'] as const;

export type LoginSettings = Partial<Record<(typeof LOGIN_SETTINGS)[number], string>>;

export interface Login {
  environment: Record<string, string>;
  /** Passed as options, because no settings file is loaded. */
  settings: LoginSettings;
}

/** Fewer retries than Claude Code makes by itself, which take three minutes while you wait at a Stop. */
const RETRIES = '5';

const QUIET = {
  CLAUDE_AGENT_SDK_CLIENT_APP: 'untildone',
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  CLAUDE_CODE_DISABLE_CLAUDE_MDS: '1',
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
  // Nothing would read their results.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
  CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
  DISABLE_AUTOUPDATER: '1',
};

export function loginFrom(environment: NodeJS.ProcessEnv): Login {
  const own = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (!/^(?:CLAUDE|AI_AGENT$)/.test(entry[0]) || KEPT_OF_CLAUDE.test(entry[0])),
  );
  const { variables, settings } = personalLogin(environment);
  return {
    environment: {
      CLAUDE_CODE_MAX_RETRIES: RETRIES,
      ...variables,
      ...certificatesOf(environment),
      ...Object.fromEntries(own),
      ...QUIET,
    },
    settings,
  };
}

/**
 * Variables that Claude Code sets for its hooks and commands (measured with 2.1.325), or the SDK for Claude Code. A new process
 * that inherits them takes itself for a part of that session. Your own settings are not among them.
 */
const OF_A_SESSION = new RegExp(
  `^(?:CLAUDECODE|AI_AGENT|CLAUDE_AGENT_SDK_\\w+|CLAUDE_(?:${[
    'PID',
    'EFFORT',
    'ENV_FILE',
    'PROJECT_DIR',
    'PLUGIN_(?:ROOT|DATA)',
    'CODE_(?:ENTRYPOINT|EXECPATH|CHILD_SESSION)',
    'CODE_(?:SESSION|MESSAGING|SDK)_\\w+',
    'CODE_OAUTH_TOKEN_FILE_DESCRIPTOR',
  ].join('|')}))$`,
);

/** The environment of a session of a run: yours, without the variables of a session around untildone. */
export function sessionEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const own = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !OF_A_SESSION.test(entry[0]),
  );
  return {
    ...certificatesOf(environment),
    ...Object.fromEntries(own),
    CLAUDE_AGENT_SDK_CLIENT_APP: QUIET.CLAUDE_AGENT_SDK_CLIENT_APP,
  };
}

/** The certificates that `hook.sh` moved to another name, because they make Node slow to start. */
function certificatesOf({
  UNTILDONE_EXTRA_CA_CERTS: certificates,
}: NodeJS.ProcessEnv): Record<string, string> {
  return certificates ? { NODE_EXTRA_CA_CERTS: certificates } : {};
}

/** The login in your own settings file. That of a project does not count, because it could name a command to run. */
function personalLogin(environment: NodeJS.ProcessEnv) {
  const folder = environment.CLAUDE_CONFIG_DIR || join(userHome(environment), '.claude');
  const file = readFields(join(folder, 'settings.json'));
  const variables = Object.entries(asFields(file.env) ?? {}).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && (LOGIN_VARIABLE.test(entry[0]) || KEPT_OF_CLAUDE.test(entry[0])),
  );
  const settings: LoginSettings = {};
  for (const name of LOGIN_SETTINGS) {
    const value = file[name];
    if (typeof value === 'string') settings[name] = value;
  }
  return { variables: Object.fromEntries(variables), settings };
}

/** Empty when the file is missing or cannot be read: the login may be elsewhere. */
function readFields(path: string): Fields {
  try {
    return parseFields(readSmall(path) ?? '') ?? {};
  } catch {
    return {};
  }
}
