import { out, warn } from '../../engine/terminal/print.ts';
import { paint } from '../../engine/terminal/style.ts';
import { type AuditRequest, audit } from '../../read/reflect/audit/audit.ts';

interface AuditFlags {
  since: number | 'all';
  project?: string;
  json: boolean;
  html?: string;
  evidence: boolean;
  show?: AuditRequest['show'];
  limit: number;
}

/** `untildone audit`. */
export async function auditHere({ since: back, ...flags }: AuditFlags): Promise<void> {
  const request: AuditRequest = { ...flags, sinceMs: back === 'all' ? undefined : back };
  const columns = process.stdout.columns || 80;
  const place = { env: process.env, cwd: process.cwd(), now: Date.now(), columns };
  process.exitCode = await audit(request, place, { out, warn, paint });
}
