import type { Home } from '../adapters/home.ts';
import type { Judges } from '../app/judging-ports.ts';
import type { Receipt } from '../core/receipt.ts';
import type { AgentPort, LoopRef, SessionPort } from '../ports.ts';

export interface JudgesOptions {
  /** False: signals are somebody else's business, as they are in a program that uses us as a library. */
  endWithSignals?: boolean;
}

/** What `judge.cjs` offers. */
export interface JudgeBundle {
  openJudges(home: Home, env: NodeJS.ProcessEnv, options?: JudgesOptions): Judges;
  saveReceipt(home: Home, ref: LoopRef, receipt: Receipt): void;
}

/** The gates that measure live in a bundle of their own, beside this one: a promise loop does not pay for them. */
export function loadJudgeBundle(): Promise<JudgeBundle> {
  return Promise.resolve().then(() => require('./judge.cjs') as JudgeBundle);
}

/** What `dialects.cjs` offers. */
type DialectBundle = typeof import('../dialects-entry.ts');

/** Most projects hold no foreign state: what reads it is not loaded before. */
export function loadDialects(): Promise<DialectBundle> {
  return Promise.resolve().then(() => require('./dialects.cjs') as DialectBundle);
}

/** What `session.cjs` offers. */
type SessionBundle = typeof import('../session-entry.ts');

/** A Stop needs none of it. */
export function loadSession(): Promise<SessionBundle> {
  return Promise.resolve().then(() => require('./session.cjs') as SessionBundle);
}

/** What `tools.cjs` offers. */
type ToolBundle = typeof import('../tools-entry.ts');

/** Most contracts have no tool rules: what asks them is not loaded before. */
export function loadTools(): Promise<ToolBundle> {
  return Promise.resolve().then(() => require('./tools.cjs') as ToolBundle);
}

/** What `agent.cjs` offers. */
export interface AgentBundle {
  agentSdk(options: { env: NodeJS.ProcessEnv }): AgentPort;
  agentSessions(options: { env: NodeJS.ProcessEnv; project?: string }): SessionPort;
}

/** Asking a model is rare and takes seconds: its code is not loaded before. */
export function loadAgentBundle(): Promise<AgentBundle> {
  return import('./agent.cjs' as string);
}
