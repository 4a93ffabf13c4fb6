/** What commands within walls do not see: credentials, the homes of untildone and Claude Code, sockets that take orders. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { isBelow } from './walls.ts';

/** Below a home. */
const IN_HOME = [
  ...['.untildone', '.claude', '.claude.json', '.codex', '.gemini', '.cursor', '.anthropic', '.openai'],
  ...['.ssh', '.gnupg', '.age', '.password-store', '.local/share/keyrings', '.vault-token', '.1password'],
  ...['.aws', '.azure', '.oci', '.boto', '.s3cfg', '.kube', '.docker', '.fly', '.databrickscfg', '.wrangler'],
  ...[
    '.netrc',
    '.git-credentials',
    '.pgpass',
    '.my.cnf',
    '.mylogin.cnf',
    '.terraform.d/credentials.tfrc.json',
  ],
  ...[
    '.npmrc',
    '.yarnrc.yml',
    '.pypirc',
    '.gem/credentials',
    '.composer/auth.json',
    '.nuget/NuGet/NuGet.Config',
  ],
  ...['.cargo/credentials.toml', '.cargo/credentials', '.m2/settings.xml', '.m2/settings-security.xml'],
  ...['.gradle/gradle.properties', '.cache/huggingface/token', '.huggingface', '.mozilla', '.thunderbird'],
  ...['.bash_history', '.zsh_history', '.psql_history', '.mysql_history', '.python_history'],
  ...['.node_repl_history', 'Library/Keychains', 'Library/Cookies'],
];

/** Below the folder for settings, which is `.config` in a home unless a variable says otherwise. */
const IN_CONFIG = [
  ...[
    'gcloud',
    'gh',
    'hub',
    'glab-cli',
    'op',
    'doctl',
    'rclone',
    'sops',
    'netlify',
    '.wrangler',
    'configstore',
  ],
  ...['git/credentials', 'containers/auth.json', 'composer/auth.json', 'github-copilot', 'heroku', 'stripe'],
  ...['google-chrome', 'chromium', 'BraveSoftware', 'fish/fish_history'],
];

/** Variables that name a file or a folder with credentials; KUBECONFIG may name several. */
const NAMED_BY = [
  ...['CLAUDE_CONFIG_DIR', 'AWS_SHARED_CREDENTIALS_FILE', 'AWS_CONFIG_FILE', 'AZURE_CONFIG_DIR'],
  ...['GOOGLE_APPLICATION_CREDENTIALS', 'CLOUDSDK_CONFIG', 'KUBECONFIG', 'DOCKER_CONFIG', 'GNUPGHOME'],
  ...[
    'NPM_CONFIG_USERCONFIG',
    'npm_config_userconfig',
    'NETRC',
    'PGPASSFILE',
    'GH_CONFIG_DIR',
    'SSH_AUTH_SOCK',
  ],
  ...['PASSWORD_STORE_DIR', 'VAULT_TOKEN_PATH', 'REGISTRY_AUTH_FILE'],
];

/** Places through which programs outside of the walls take orders. Windows' own programs are started through /run/WSL. */
const SOCKETS = [
  ...[
    '/run/user',
    '/run/dbus',
    '/run/docker.sock',
    '/run/containerd',
    '/run/podman',
    '/run/crio',
    '/run/WSL',
  ],
  ...['/run/snapd.socket', '/run/systemd/private', '/run/libvirt', '/var/run/docker.sock'],
];

/** `untildoneHome` is hidden whatever happens; other folders only where they are not what the command needs to run at all. */
export function secretsOf(env: NodeJS.ProcessEnv, untildoneHome: string): string[] {
  const homes = homesOf(env);
  const config = env.XDG_CONFIG_HOME;
  const configs = [...homes.map((home) => join(home, '.config')), ...(config ? [config] : [])].filter(
    isAbsolute,
  );
  const named = NAMED_BY.flatMap((name) => env[name]?.split(':') ?? []).filter(isAbsolute);
  const carriers = [...homes, process.execPath, '/usr/bin', '/bin/sh', '/etc/passwd'].map(realOr);
  const hidden = [
    ...homes.flatMap((home) => IN_HOME.map((path) => join(home, path))),
    ...configs.flatMap((folder) => IN_CONFIG.map((path) => join(folder, path))),
    ...named.map((path) => resolve(path)),
    ...SOCKETS,
  ].filter((path) => !carriers.some((carrier) => isBelow(carrier, realOr(path))));
  return [...new Set([...hidden, untildoneHome])];
}

/** Settings of package managers, which the agent's shell needs to install anything. They may name a registry. */
const OF_PACKAGE_MANAGERS = [
  '.npmrc',
  '.yarnrc.yml',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  '.nuget/NuGet/NuGet.Config',
];
/** What Claude Code's own shell reads in its folder stays: only its login is hidden. */
const OF_CLIENT = ['.claude', '.claude.json'];

/** What the shell of an agent does not see: the same, but for what Claude Code and package managers need. */
export function secretsFromAgent(env: NodeJS.ProcessEnv, untildoneHome: string): string[] {
  const client = [env.CLAUDE_CONFIG_DIR, ...homesOf(env).map((home) => join(home, '.claude'))];
  const folders = client.filter((folder): folder is string => !!folder && isAbsolute(folder));
  const spared = new Set([
    ...homesOf(env).flatMap((home) => [...OF_PACKAGE_MANAGERS, ...OF_CLIENT].map((path) => join(home, path))),
    ...folders,
    ...SOCKETS,
  ]);
  const hidden = secretsOf(env, untildoneHome).filter((path) => !spared.has(path));
  const login = folders.map((folder) => join(folder, '.credentials.json'));
  return [...hidden, ...login].filter((path) => path === untildoneHome || existsSync(path));
}

/** HOME, the home of the account, and for root those of all accounts, because root may read them. */
function homesOf(env: NodeJS.ProcessEnv): string[] {
  const homes = [env.HOME, accountHome(), ...(process.getuid?.() === 0 ? otherHomes() : [])];
  return [...new Set(homes.filter((home): home is string => !!home && isAbsolute(home)))];
}

function accountHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    // A container may run as a user that has no account.
    return undefined;
  }
}

/** Accounts of people have numbers from 1000 on. */
function otherHomes(): string[] {
  try {
    const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
    return accounts
      .map((line) => line.split(':'))
      .flatMap(([, , id, , , home]) => (Number(id) >= 1000 && home ? [home] : []));
  } catch {
    return [];
  }
}

function realOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}
