/**
 * The bundle that looks back: it reads transcripts for `audit`. It runs in worker threads, too, where it only serves the tasks
 * that the main thread shares out.
 */
import { auditSession } from '../reflect/audit/audit-session.ts';
import { serveTasks } from '../reflect/reading/share-out.ts';

export { audit } from '../reflect/audit/audit.ts';

serveTasks({ audit: auditSession });
