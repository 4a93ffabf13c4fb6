/** An endpoint that is shaped like an OpenTelemetry collector: OTLP over HTTP, in JSON. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface SeenSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startMs: number;
  endMs: number;
  attributes: Record<string, unknown>;
  /** 2 is an error. */
  status: number;
  service: unknown;
  /** Which program sent it: its scope. */
  scope: string;
}

export interface Collector {
  url: string;
  spans(): SeenSpan[];
  /** Sums of counters, and numbers of values in histograms, by name. */
  metrics(): Map<string, number>;
  headers: IncomingHttpHeaders[];
  /** Everything that came, as text. */
  text(): string;
}

type Value = Record<string, unknown>;
interface Request {
  resourceSpans?: {
    resource: { attributes: Pair[] };
    scopeSpans: { scope: { name: string }; spans: RawSpan[] }[];
  }[];
  resourceMetrics?: { scopeMetrics: { metrics: RawMetric[] }[] }[];
}
interface Pair {
  key: string;
  value: Value;
}
interface RawSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Pair[];
  status: { code: number };
}
interface RawMetric {
  name: string;
  sum?: { dataPoints: { asDouble?: number; asInt?: number | string }[] };
  histogram?: { dataPoints: { count: number }[] };
}

/** `answer`: the status of every answer; `never`: it takes the request and does not answer. */
export async function openCollector(answer: number | 'never' = 200): Promise<Collector> {
  const bodies: { path: string; body: Request }[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      headers.push(request.headers);
      const text = Buffer.concat(chunks).toString('utf8');
      if ((request.headers['content-type'] ?? '').includes('json'))
        bodies.push({ path: request.url ?? '', body: JSON.parse(text) });
      if (answer === 'never') return;
      response.writeHead(answer, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers,
    text: () => JSON.stringify(bodies),
    spans: () =>
      bodies
        .filter(({ path }) => path === '/v1/traces')
        .flatMap(({ body }) => body.resourceSpans ?? [])
        .flatMap(({ resource, scopeSpans }) =>
          scopeSpans.flatMap(({ scope, spans }) =>
            spans.map((span) => seen(span, scope.name, asRecord(resource.attributes)['service.name'])),
          ),
        ),
    metrics: () => metricsIn(bodies.map(({ body }) => body)),
  };
}

function seen(span: RawSpan, scope: string, service: unknown): SeenSpan {
  const { name, traceId, spanId, parentSpanId, attributes, status } = span;
  return {
    name,
    traceId,
    spanId,
    scope,
    service,
    ...(parentSpanId ? { parentSpanId } : {}),
    startMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
    endMs: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
    attributes: asRecord(attributes),
    status: status.code ?? 0,
  };
}

function asRecord(pairs: Pair[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map(({ key, value }) => {
      const [[kind, each] = ['', undefined]] = Object.entries(value);
      return [key, kind === 'intValue' ? Number(each) : each];
    }),
  );
}

/** Values are totals since the sender began, so the last of each counts. */
function metricsIn(bodies: Request[]): Map<string, number> {
  const all = bodies.flatMap(({ resourceMetrics = [] }) => resourceMetrics);
  const metrics = all.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((each) => each.metrics));
  return new Map(
    metrics.map(({ name, sum, histogram }) => [
      name,
      (sum?.dataPoints ?? []).reduce(
        (total, { asDouble, asInt }) => total + (asDouble ?? Number(asInt ?? 0)),
        0,
      ) + (histogram?.dataPoints ?? []).reduce((total, { count }) => total + Number(count), 0),
    ]),
  );
}

/** Gates are judged side by side: which of them begins first is chance. */
function beginOf({ name, startMs }: SeenSpan): number {
  return name.startsWith('gate ') ? 0 : startMs;
}

/** The tree of spans as indented names, in the order of their beginnings. */
export function treeOf(spans: readonly SeenSpan[], from?: string, depth = 0): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  return spans
    .filter(({ parentSpanId: parent }) =>
      from === undefined ? !parent || !ids.has(parent) : parent === from,
    )
    .sort((a, b) => beginOf(a) - beginOf(b) || (a.name < b.name ? -1 : 1))
    .flatMap((span) => [`${'  '.repeat(depth)}${span.name}`, ...treeOf(spans, span.spanId, depth + 1)]);
}
