/** What pages send: bounded, and JSON. */
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { UsageError } from '../../../engine/core/text/errors.ts';
import type { Problem } from '../view/overview-types.ts';

const MOST_BODY = 64 * 1024;

export function limitedBody() {
  const tooLarge: Problem = { code: 'too_large', message: `a request may have ${MOST_BODY / 1024} KB` };
  return bodyLimit({ maxSize: MOST_BODY, onError: (c) => c.json(tooLarge, 413) });
}

export async function jsonIn(c: Context): Promise<unknown> {
  try {
    return await c.req.json();
  } catch {
    throw new UsageError('the request is no JSON');
  }
}
