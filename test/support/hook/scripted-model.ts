/** What a played client knows of models: windows, prices, and what their errors are called. */
import type { SessionResult } from '../../../src/engine/core/run/session-end.ts';

export function windowOf(model: string): number {
  return /4-[56]/.test(model) ? 200_000 : 1_000_000;
}

type Usage = Record<string, unknown>;

function tokens(usage: Usage, name: string): number {
  return Number(usage[name] ?? 0);
}

export function tokensOf(usage: Usage): { context: number; spent: number } {
  const created = tokens(usage, 'input_tokens') + tokens(usage, 'cache_creation_input_tokens');
  return {
    context: created + tokens(usage, 'cache_read_input_tokens'),
    spent: created + tokens(usage, 'output_tokens'),
  };
}

/** In USD, roughly. */
export function priceOf(usage: Usage): number {
  const { context } = tokensOf(usage);
  return (context * 4 + tokens(usage, 'output_tokens') * 20) / 1_000_000;
}

const ERRORS: Record<number, string> = {
  401: 'authentication_failed',
  403: 'authentication_failed',
  404: 'model_not_found',
  429: 'rate_limit',
};

export function failureOf(error: { status: number; message: string }): Partial<SessionResult> {
  const { status, message } = error;
  const failed = (more: Partial<SessionResult>) => ({
    isError: true,
    terminalReason: 'api_error',
    text: `API Error: ${status === 0 ? '' : `${status} `}${message}`,
    ...(status === 0 ? {} : { apiErrorStatus: status }),
    ...more,
  });
  if (message === 'refusal') return failed({ error: 'invalid_request' });
  if (/credit balance/i.test(message)) return failed({ error: 'billing_error' });
  if (/prompt is too long/i.test(message))
    return failed({ error: 'invalid_request', terminalReason: 'prompt_too_long' });
  if (status === 413) return failed({ error: 'invalid_request', terminalReason: 'image_error' });
  return failed({ error: ERRORS[status] ?? (status >= 500 || status === 0 ? 'server_error' : 'unknown') });
}
