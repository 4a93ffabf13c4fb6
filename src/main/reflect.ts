/**
 * The bundle that looks back: it reads transcripts for `audit` and `reflect`. It runs in worker threads, too, where it only serves the tasks
 * that the main thread shares out.
 */
import { REFLECT_TASK, reflectTask } from '../reflect/findings/read-sessions.ts';
import { serveTasks } from '../reflect/reading/share-out.ts';

export { readSessions } from '../reflect/findings/read-sessions.ts';

serveTasks({ [REFLECT_TASK]: reflectTask });
