import { call } from './call.ts';
import type { DoneGate, Guarded } from './done-gate.ts';
import { COMMAND_LIMIT_MS } from './place.ts';

interface OtherGate {
  /** Answers at each Stop: exit code 0 means done. */
  gate: string;
  /** Runs once before the agent begins. */
  prepare?: string;
}

/** Another done-gate: a shell command in the project's folder. It refuses no tool. */
export function otherGate({ gate, prepare }: OtherGate): DoneGate {
  return {
    prepare: async () => {},
    prepareAgain: async () => {},
    start: async ({ project, env }, { check, task }, played) => {
      const told = {
        ...env,
        CHEATS_PROJECT: project,
        CHEATS_COMMAND: check,
        CHEATS_TASK: played.task ?? task,
      };
      const run = (line: string) =>
        call('/bin/sh', ['-c', line], { cwd: project, env: told, limitMs: COMMAND_LIMIT_MS });
      if (prepare !== undefined) {
        const { code, stderr } = await run(prepare);
        if (code !== 0) throw new Error(`--prepare ends with ${code}: ${stderr}`);
      }
      let isDone = false;
      const guarded: Guarded = {
        agentEnv: env,
        refuses: async () => undefined,
        used: async () => {},
        stop: async () => {
          const { code, stdout, stderr } = await run(gate);
          isDone = code === 0;
          return { held: !isDone, said: `${stdout}${stderr}`.trim().slice(-2000) };
        },
        answer: async () => {},
        ending: async () => ({
          status: isDone ? 'done' : 'held',
          done: isDone,
          asks: false,
          receipt: '',
          gates: [],
        }),
        close: async () => {},
      };
      return guarded;
    },
  };
}
