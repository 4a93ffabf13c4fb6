import { spawn } from 'node:child_process';
import type { Notification } from '../../core/contract/contract.ts';
import { type Message, webhookBody } from '../../core/words/endings.ts';
import type { Notifier, Shell } from '../../ports/ports.ts';

const LIMIT_MS = 5_000;

/** Notifies by webhook, command or desktop, within a few seconds. Rejects with the reason of a failure. */
export function systemNotifier(shell: Shell): Notifier {
  return {
    async send(notification, message, project) {
      if (notification.webhook !== undefined) await post(notification.webhook, message);
      if (notification.command !== undefined) await run(notification.command, message, project, shell);
      if (notification.desktop) await desktop(message);
    },
  };
}

async function post(url: NonNullable<Notification['webhook']>, message: Message): Promise<void> {
  const { body, headers } = webhookBody(url, message);
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers,
    redirect: 'error',
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
}

async function run(command: string, message: Message, project: string, shell: Shell): Promise<void> {
  const input = `${JSON.stringify(message)}\n`;
  const result = await shell.run({ command, cwd: project, input, timeoutMs: LIMIT_MS });
  if (result.exitCode !== 0) throw new Error(`"${command}" ended with ${result.exitCode ?? result.endedBy}`);
}

/** The program that tells the desktop. The texts are arguments, never part of a script. Undefined: this system has none. */
export function desktopCall({ title, text }: Message, platform = process.platform): string[] | undefined {
  if (platform === 'win32') return undefined;
  if (platform !== 'darwin') return ['notify-send', '--app-name=untildone', '--', title, text];
  const script = [
    'on run argv',
    'display notification (item 2 of argv) with title (item 1 of argv)',
    'end run',
  ].flatMap((line) => ['-e', line]);
  return ['osascript', ...script, title, text];
}

async function desktop(message: Message): Promise<void> {
  const [program, ...args] = desktopCall(message) ?? [];
  if (program === undefined)
    throw new Error('the desktop of Windows cannot be told yet: name a command or a webhook instead');
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'ignore', timeout: LIMIT_MS });
    child.once('error', (error) => reject(new Error(`no desktop to tell: ${error.message}`)));
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}`)),
    );
  });
}
