/** What a played session does, written into the task of its run: it reaches every machine that the run comes to. */
export interface Score {
  /** A file to which every session appends what it did and when. */
  ledger: string;
  /** How long a piece takes. */
  workMs?: number;
  /** By the number of a piece: it is begun, and made only when this file is there. */
  waitFor?: Record<number, string>;
  /** At this piece it asks, until it reads the answer in its prompt. */
  ask?: { piece: number; question: string; answer: string };
  /** A shell command that is run for every piece, instead of making one. */
  command?: string;
  /** While this file is there, a session kills its worker, or the process that drives its run. */
  kill?: { whom: 'worker' | 'driver'; whileThere: string };
  /** Starts a process of its own that would live for ever. */
  leavesProcess?: boolean;
  /** What a piece costs. */
  usd?: number;
}

/** One line of the ledger. */
export interface Deed {
  kind: 'began' | 'working' | 'made' | 'ended';
  session: string;
  cwd: string;
  pid: number;
  /** The process that drives the run. */
  driver: number;
  at: number;
  /** Of a piece. */
  piece?: number;
  /** What the session, or the process that drives its run, could read of the fleet's secrets in its environment. */
  leaks: string[];
}

/** In the project: one line a piece. */
export const MADE = 'made.txt';

const MARK = /\[\[play (.+?)\]\]/;

export function taskOf(words: string, score: Score): string {
  return `${words} [[play ${Buffer.from(JSON.stringify(score)).toString('base64url')}]]`;
}

export function scoreIn(prompt: string): Score | undefined {
  const found = MARK.exec(prompt)?.[1];
  return found === undefined ? undefined : JSON.parse(Buffer.from(found, 'base64url').toString('utf8'));
}
