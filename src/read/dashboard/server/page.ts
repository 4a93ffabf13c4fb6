import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of the page, as it is sent. */
export interface PageFile {
  type: string;
  body: Buffer;
  tag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'app.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

const NO_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>untildone</title><body><p>The page of the dashboard is not in this installation. Install untildone again.`;

/** The files of the page, read once. Only these names exist: nothing else of the disk can be asked for. */
export function readPage(folder: string): Map<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const [name, type] of Object.entries(TYPES)) {
    const body = textOf(join(folder, name)) ?? (name === 'index.html' ? Buffer.from(NO_PAGE) : undefined);
    if (body)
      files.set(name, {
        type,
        body,
        tag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
      });
  }
  return files;
}

function textOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Scripts and styles come from this server alone; nothing may be written into the page, and nobody may frame it. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');
