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

/** Passes the texts as arguments, never as part of a script. */
function desktop({ title, text }: Message): Promise<void> {
  const [program, args] =
    process.platform === 'darwin'
      ? [
          'osascript',
          [
            '-e',
            'on run argv',
            '-e',
            'display notification (item 2 of argv) with title (item 1 of argv)',
            '-e',
            'end run',
            title,
            text,
          ],
        ]
      : ['notify-send', ['--app-name=untildone', '--', title, text]];
  return new Promise((resolve, reject) => {
    const child = spawn(program as string, args as string[], { stdio: 'ignore', timeout: LIMIT_MS });
    child.once('error', (error) => reject(new Error(`no desktop to tell: ${error.message}`)));
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}`)),
    );
  });
}
