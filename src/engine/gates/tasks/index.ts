import { fingerprint } from '../../core/loop/verdict.ts';
import type { Gate } from '../gate.ts';
import { tasksTraits } from './traits.ts';

/** The task list of Claude Code has no open items. The agent keeps the list, so this is a claim. */
export const tasksGate: Gate<'tasks'> = {
  ...tasksTraits,
  async judge(_options, { request, judges }) {
    const open = await judges.tasks.open(request.session);
    if (open === undefined) return { outcome: 'skip', summary: 'this session has no task list' };
    if (open.length === 0) return { outcome: 'pass', summary: 'no task is open' };
    const next = open.find((task) => task.status === 'in_progress') ?? open[0];
    return {
      outcome: 'fail',
      summary: `${open.length} ${open.length === 1 ? 'task is' : 'tasks are'} open; next: ${next?.subject}`,
      evidence: open.map(
        ({ id, subject, status }) => `task ${id} (${status.replaceAll('_', ' ')}): ${subject}`,
      ),
      next: `Next: task ${next?.id}: ${next?.subject}\nMark it completed in your task list when it is done.`,
      fingerprint: fingerprint(open.map(({ id, status }) => `${id} ${status}`).join('\n')),
    };
  },
};
