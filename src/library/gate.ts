/** A gate of the user's own, written as a module: what it is asked, and what it answers. */

export interface GateQuestion<Settings = Record<string, unknown>> {
  v: 1;
  /** The gate's name in the contract. */
  gate: string;
  /** The project's folder, in which the gate runs. */
  project: string;
  /** What the agent was asked to do. */
  task: string;
  session: string;
  /** The final message of the session that wants to stop. */
  lastMessage?: string;
  /** Of a prompt or a task: the client's event, with `hook_event_name`, `prompt`, `task_subject`, `task_description`. */
  event?: Record<string, unknown>;
  /** The git tree that is judged, and that of the loop's start. */
  tree?: string;
  baseTree?: string;
  /** `with` of the contract; empty when it says none. */
  with: Settings;
}

export interface GateAnswer {
  /** unproven: it could not be judged. skip: it does not apply here. */
  outcome: 'pass' | 'fail' | 'unproven' | 'skip';
  /** One line: what was found. */
  summary: string;
  /** Lines, the most useful first. */
  evidence?: readonly string[] | string;
  /** What the agent should do next. */
  next?: string;
  /** Names this failure, so that the same one is recognised. */
  fingerprint?: string;
}

export interface CustomGate<Settings = Record<string, unknown>> {
  judge(question: GateQuestion<Settings>): GateAnswer | Promise<GateAnswer>;
}

/** The default export of a gate's module, typed; comes back as it is. */
export function defineGate<Settings = Record<string, unknown>>(
  gate: CustomGate<Settings>,
): CustomGate<Settings> {
  return gate;
}
