import { asFields, type Fields } from '../../../engine/client/fields.ts';
import { type Finding, finding, type Place, severityOf } from './finding.ts';
import { times } from './transcript-findings.ts';

/** What claude-trace logged of the traffic with the API: `.claude-trace/*.jsonl`. */
export interface TraceFigures {
  files: number;
  requests: number;
  inputTokens: number;
  outputTokens: number;
  apiErrors: number;
  rateLimits: number;
  slowRequests: number;
  slowMs: number;
  places: { errors: Place[]; limits: Place[]; slow: Place[] };
}

export const SLOW_REQUEST_MS = 30_000;
const MOST_PLACES = 4;

export function noTrace(): TraceFigures {
  return {
    files: 0,
    requests: 0,
    inputTokens: 0,
    outputTokens: 0,
    apiErrors: 0,
    rateLimits: 0,
    slowRequests: 0,
    slowMs: 0,
    places: { errors: [], limits: [], slow: [] },
  };
}

/** Takes one line of a trace: a request with its response, or with none. */
export function seeTraceLine(
  figures: TraceFigures,
  line: Fields,
  file: string,
  number: number,
  { from, until }: { from: number; until: number } = { from: 0, until: Number.POSITIVE_INFINITY },
): void {
  const request = asFields(line.request);
  const response = asFields(line.response);
  if (!request && !response && line.error === undefined) return;
  const begun = momentOf(request?.timestamp) ?? momentOf(line.timestamp) ?? momentOf(line.logged_at);
  if (begun !== undefined && (begun < from || begun > until)) return;
  const place: Place = { file, line: number, at: begun };
  figures.requests++;
  seeStatus(figures, statusOf(line, response), response === undefined, place);
  seeDuration(figures, begun, momentOf(response?.timestamp), line, place);
  const usage = usageIn(response ?? {});
  figures.inputTokens += usage.input;
  figures.outputTokens += usage.output;
}

function seeStatus(
  figures: TraceFigures,
  status: number | undefined,
  unanswered: boolean,
  place: Place,
): void {
  if (status === 429) {
    figures.rateLimits++;
    keep(figures.places.limits, place);
  } else if (unanswered || (status !== undefined && status >= 400)) {
    figures.apiErrors++;
    keep(figures.places.errors, place);
  }
}

function seeDuration(
  figures: TraceFigures,
  begun: number | undefined,
  ended: number | undefined,
  line: Fields,
  place: Place,
): void {
  const given = [line.duration_ms, asFields(line.response)?.duration_ms].find((ms) => typeof ms === 'number');
  const ms =
    typeof given === 'number' ? given : begun !== undefined && ended !== undefined ? ended - begun : 0;
  if (ms <= SLOW_REQUEST_MS) return;
  figures.slowRequests++;
  figures.slowMs += ms;
  keep(figures.places.slow, place);
}

function keep(places: Place[], place: Place): void {
  if (places.length < MOST_PLACES) places.push(place);
}

/** Times are seconds with a fraction, milliseconds, or ISO 8601. */
function momentOf(value: unknown): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return value < 1e11 ? value * 1000 : value;
  const parsed = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}

function statusOf(line: Fields, response: Fields | undefined): number | undefined {
  const status = response?.status_code ?? response?.status ?? line.status_code;
  return typeof status === 'number' ? status : undefined;
}

/** The usage of an answer: in its body, or in the events of a stream, where the last figures count. */
function usageIn(response: Fields): { input: number; output: number } {
  const whole = asFields(asFields(response.body)?.usage);
  if (whole) return { input: inputOf(whole), output: count(whole.output_tokens) };
  const raw = typeof response.body_raw === 'string' ? response.body_raw : '';
  const last = (pattern: RegExp) => Number([...raw.matchAll(pattern)].at(-1)?.[1] ?? 0);
  return { input: last(INPUT) + last(CACHE_CREATION) + last(CACHE_READ), output: last(OUTPUT) };
}

const INPUT = /"input_tokens"\s{0,9}:\s{0,9}(\d{1,12})/g;
const CACHE_CREATION = /"cache_creation_input_tokens"\s{0,9}:\s{0,9}(\d{1,12})/g;
const CACHE_READ = /"cache_read_input_tokens"\s{0,9}:\s{0,9}(\d{1,12})/g;
const OUTPUT = /"output_tokens"\s{0,9}:\s{0,9}(\d{1,12})/g;

function inputOf(usage: Fields): number {
  return (
    count(usage.input_tokens) +
    count(usage.cache_creation_input_tokens) +
    count(usage.cache_read_input_tokens)
  );
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** What the traces show. */
export function traceFindings(figures: TraceFigures): Finding[] {
  const { apiErrors, rateLimits, slowRequests, slowMs, places } = figures;
  const found: Finding[] = [];
  const add = (
    type: 'api_errors' | 'rate_limits' | 'slow_requests',
    given: Pick<Finding, 'title' | 'count' | 'severity' | 'suggestion' | 'places'> & { ms?: number },
  ) => {
    if (given.count === 0) return;
    const { ms = 0, ...rest } = given;
    found.push(
      finding({
        ...rest,
        type,
        fields: { count: given.count },
        cost: { ms },
        key: 'claude-trace',
        in: 'claude-trace',
      }),
    );
  };
  add('api_errors', {
    count: apiErrors,
    places: places.errors,
    severity: severityOf(apiErrors, 3, 10),
    title: `claude-trace logged errors of the API, ${times(apiErrors)}`,
    suggestion: 'Look at https://status.claude.com, at the network, and at the key',
  });
  add('rate_limits', {
    count: rateLimits,
    places: places.limits,
    severity: severityOf(rateLimits, 1, 5),
    title: `claude-trace logged rate limits (status 429), ${times(rateLimits)}`,
    suggestion: 'Run fewer sessions side by side, or let `untildone run` wait for the limit to end',
  });
  add('slow_requests', {
    count: slowRequests,
    places: places.slow,
    severity: severityOf(slowRequests, 3, 10),
    ms: slowMs,
    title: `claude-trace logged requests that took more than 30 s, ${times(slowRequests)}`,
    suggestion: 'Optimize prompts or break down complex requests',
  });
  return found;
}
