/** What differs between systems. The platform is a parameter, so that each form can be tested on any of them. */
import { statSync } from 'node:fs';
import { win32 } from 'node:path';

/** A path of Windows, such as `C:\Users\me`, whatever system this is. */
const WITH_DRIVE = /^[A-Za-z]:[\\/]/;

/** The path with slashes, which Windows and every shell there understand. On other systems a backslash is part of a name. */
export function slashed(path: string): string {
  return WITH_DRIVE.test(path) || path.startsWith('\\\\') ? path.replaceAll('\\', '/') : path;
}

/** A whole path as one below another folder: `/home/me` stays, `C:\Users\me` is `/C/Users/me`. `hook.sh` does the same. */
export function belowFolder(path: string): string {
  return WITH_DRIVE.test(path) ? `/${path[0]}${slashed(path).slice(2)}` : path;
}

export interface System {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  isFile: (path: string) => boolean;
}

export function thisSystem(env: NodeJS.ProcessEnv): System {
  const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  return { platform: process.platform, env, isFile };
}

export interface ShellWords {
  words: string[];
  /** The last word is for `cmd.exe`, which takes quotes apart itself. */
  verbatim: boolean;
}

/**
 * The words that run a line of a contract: `/bin/sh`, on Windows the bash of Git, which Claude Code uses there, too, and
 * without it `cmd.exe`. With `oneStream` both streams are joined; the second shell replaces the first.
 */
export function shellWords(line: string, oneStream: boolean, system: System): ShellWords {
  if (system.platform !== 'win32')
    return { words: ['/bin/sh', '-c', ...(oneStream ? [ONE_STREAM] : []), line], verbatim: false };
  const bash = gitBash(system);
  if (bash !== undefined)
    return { words: [bash, '-c', ...(oneStream ? [ONE_STREAM_OF_BASH] : []), line], verbatim: false };
  const { ComSpec = 'cmd.exe' } = system.env;
  return { words: [ComSpec, '/d', '/s', '/c', `"${oneStream ? `(${line}) 2>&1` : line}"`], verbatim: true };
}

const ONE_STREAM = 'exec /bin/sh -c "$0" 2>&1';
const ONE_STREAM_OF_BASH = 'exec "$BASH" -c "$0" 2>&1';

/** The bash of Git for Windows. The one in the folder of the system starts Linux, where the project lies elsewhere. */
export function gitBash({ env, isFile }: System): string | undefined {
  const onPath = (env.PATH ?? env.Path ?? '')
    .split(win32.delimiter)
    .filter((folder) => folder !== '' && !/[\\/]windows[\\/]/i.test(`${folder}\\`))
    .map((folder) => win32.join(folder, 'bash.exe'));
  const usual = [
    env.ProgramFiles,
    env['ProgramFiles(x86)'],
    env.LOCALAPPDATA && `${env.LOCALAPPDATA}\\Programs`,
  ]
    .filter((folder) => folder !== undefined && folder !== '')
    .map((folder) => win32.join(folder as string, 'Git', 'bin', 'bash.exe'));
  return [env.CLAUDE_CODE_GIT_BASH_PATH ?? '', ...onPath, ...usual].find(
    (path) => path !== '' && isFile(path),
  );
}
