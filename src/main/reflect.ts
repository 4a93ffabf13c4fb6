/**
 * The bundle that looks back: it reads transcripts for `audit` and `reflect`. It runs in worker threads, too, where it only
 * serves the tasks that the main thread shares out.
 */
import { serveWholeAudit } from '../reflect/audit/audit.ts';
import { auditSession } from '../reflect/audit/audit-session.ts';
import { REFLECT_TASK, reflectTask } from '../reflect/findings/read-sessions.ts';
import { serveTasks } from '../reflect/reading/share-out.ts';

export { audit } from '../reflect/audit/audit.ts';
export { readSessions } from '../reflect/findings/read-sessions.ts';

serveWholeAudit();
serveTasks({ audit: auditSession, [REFLECT_TASK]: reflectTask });
