/**
 * The hooks module of the plugin: Claude Code loads it where mods may run (2.1.287 and later). It answers the events at which
 * gates are judged; all other events have command hooks in `hooks.json`, which answer these, too, where no module loads.
 */
import type { Register } from 'claude-code';
import { answered, held } from './events';

export const register: Register = (on) => {
  on('classic.Stop', ($, e, next) => answered($, e, next)).catch(($, e, next) => held($, e, next));
  on('classic.SubagentStop', ($, e, next) => answered($, e, next)).catch(($, e, next) => held($, e, next));
  on('classic.TaskCompleted', ($, e, next) => answered($, e, next)).catch(($, e, next) => held($, e, next));
  on('classic.TeammateIdle', ($, e, next) => answered($, e, next)).catch(($, e, next) => held($, e, next));
  // A task that could not be judged is created: it is judged again when it is completed.
  on('classic.TaskCreated', ($, e, next) => answered($, e, next)).catch((_, e, next) => next(e));
};
