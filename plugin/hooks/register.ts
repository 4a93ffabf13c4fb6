/**
 * The hooks module of the plugin: Claude Code loads it where mods may run (2.1.287 and later). It answers the events at which
 * gates are judged; all other events have command hooks in `hooks.json`, which answer these, too, where no module loads.
 */
import type { Register } from 'claude-code';
import { refresh, rows } from './band';
import { refusal, runCommand } from './commands';
import { answered, held } from './events';

export const register: Register = (on) => {
  on('classic.Stop', ($, e, next) => answered($, e, next)).catch(($, e, next) => held($, e, next));
  on('classic.SubagentStop', ($, e, next) => answered($, e, next)).catch(($, e, next) => held($, e, next));
  on('classic.TaskCompleted', ($, e, next) => answered($, e, next)).catch(($, e, next) => held($, e, next));
  on('classic.TeammateIdle', ($, e, next) => answered($, e, next)).catch(($, e, next) => held($, e, next));
  // A task that could not be judged is created: it is judged again when it is completed.
  on('classic.TaskCreated', ($, e, next) => answered($, e, next)).catch((_, e, next) => next(e));

  on(
    'command.run',
    {
      command: [
        'untildone:status',
        'untildone:log',
        'untildone:verify',
        'untildone:setup',
        'untildone:pause',
        'untildone:cancel',
        'untildone:release',
        'untildone:lock',
        'untildone:trust',
      ],
    },
    async ($, e) => {
      const answer = await runCommand($, e);
      void refresh($);
      return answer;
    },
  ).catch((_, e) => ({ text: failed(e.command) }));
  // The work goes on after these, so the command itself reaches the model when it is taken.
  on(
    'command.run',
    { command: ['untildone:approve', 'untildone:reject', 'untildone:answer'] },
    async ($, e, next) => {
      const refused = refusal(e);
      if (refused !== undefined) return { text: refused };
      const answer = await next(e);
      void refresh($);
      return answer;
    },
  ).catch((_, e) => ({ text: failed(e.command) }));

  on('session.start', async ($, e, next) => {
    void refresh($);
    return next(e);
  });
  on('turn.complete', async ($, e, next) => {
    void refresh($);
    return next(e);
  });
  on('ui.render', { component: 'AbovePrompt' }, async ($, e, next) => rows($.ui.resolve(e)) ?? next(e));
};

function failed(command: string): string {
  return `/${command} failed inside of Claude Code. In a terminal, in this project: untildone ${command.replace(/^.*:/, '')}`;
}
