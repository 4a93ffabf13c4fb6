/** What a client that we start gets from the environment: all of the person's, or, when it is only asked, a login. */
import { join } from 'node:path';
import { userHome } from '../../files/system.ts';
import { readSmall } from '../../files/whole-file.ts';

/**
 * How to log in, which service to use and how to reach it. Everything else that begins with CLAUDE belongs to the
 * session inside of which we may run: a client that inherits it takes itself for that one.
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

/** Of the variables in the person's settings only those that have to do with the login; see KEPT_OF_CLAUDE. */
const LOGIN_VARIABLE =
  /^(?:ANTHROPIC_|AWS_|VERTEX_|GOOGLE_|CLOUD_ML_|(?:HTTPS?|NO)_PROXY$|NODE_EXTRA_CA_CERTS$)/i;

const LOGIN_SETTINGS = ['apiKeyHelper', 'awsAuthRefresh', 'awsCredentialExport', 'gcpAuthRefresh'] as const;

export type LoginSettings = Partial<Record<(typeof LOGIN_SETTINGS)[number], string>>;

export interface Login {
  environment: Record<string, string>;
  /** Handed over by hand, because no settings file is loaded. */
  settings: LoginSettings;
}

/** The client itself tries for three minutes, while a person waits at the Stop. */
const RETRIES = '5';

const QUIET = {
  CLAUDE_AGENT_SDK_CLIENT_APP: 'untildone',
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  CLAUDE_CODE_DISABLE_CLAUDE_MDS: '1',
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
  // Nobody would come back for their results.
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
 * What the client puts into the environment of its hooks and commands (measured, client 2.1.325), and the SDK into that
 * of the client: with it a client takes itself for a part of that session. Settings of the person stay.
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

/** For a whole session in the person's place: their environment, without what belongs to a session around us. */
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

/** The hook's guard line takes them away, because they make Node slow to start. */
function certificatesOf({
  UNTILDONE_EXTRA_CA_CERTS: certificates,
}: NodeJS.ProcessEnv): Record<string, string> {
  return certificates ? { NODE_EXTRA_CA_CERTS: certificates } : {};
}

/** The person's own settings file; a project cannot name a command that makes keys. */
function personalLogin(environment: NodeJS.ProcessEnv) {
  const folder = environment.CLAUDE_CONFIG_DIR || join(userHome(environment), '.claude');
  const file = readRecord(join(folder, 'settings.json'));
  const variables = Object.entries(isRecord(file.env) ? file.env : {}).filter(
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

/** Empty when there is no such file, or it cannot be read: the login may well be elsewhere. */
function readRecord(path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readSmall(path) ?? '{}');
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
