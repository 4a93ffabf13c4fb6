/** What a worker thread runs that reads transcripts for `audit` and `reflect`: it serves the tasks that the main thread shares out. */
import { serveWholeAudit } from '../read/reflect/audit/audit.ts';
import { auditSession } from '../read/reflect/audit/audit-session.ts';
import { REFLECT_TASK, reflectTask } from '../read/reflect/findings/read-sessions.ts';
import { serveTasks } from '../read/reflect/reading/share-out.ts';

serveWholeAudit();
serveTasks({ audit: auditSession, [REFLECT_TASK]: reflectTask });
