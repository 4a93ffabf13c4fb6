import { createInterface } from 'node:readline/promises';

/** Both ends are a terminal: someone is there to ask. */
export function onTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** A question that only `y` or `yes` answers with yes. */
export async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  lines.once('SIGINT', () => process.exit(130));
  try {
    const answer = await lines.question(`${question} (y/N) `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
