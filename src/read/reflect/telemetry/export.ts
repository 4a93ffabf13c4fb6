/** Sends spans and metrics as OTLP over HTTP, in JSON. Only `telemetry.cjs` holds this file and what it imports. */
import { SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { type Measure, measuresOf } from './measures.ts';
import type { FinishedSpan } from './spans.ts';

export interface ExportOptions {
  traces: boolean;
  metrics: boolean;
  version: string;
}

/** Nothing here throws or rejects, and nothing waits but `close`. */
export interface TelemetryExport {
  send(spans: readonly FinishedSpan[]): void;
  /** Waits for the requests that are under way. */
  settled(): Promise<void>;
  /** Waits until everything is sent, or so long. Returns what went wrong, in words; undefined when all was taken. */
  close(limitMs: number): Promise<string | undefined>;
}

/** No request takes longer, whatever the variables say: the end of a run must not wait for a collector. */
const REQUEST_MS = 5000;
const BATCH = 500;
/** Beyond so many requests under way, spans are dropped: an endpoint that hangs must not fill the memory. */
const MOST_UNDER_WAY = 50;

export function openExport({ traces, metrics, version }: ExportOptions): TelemetryExport {
  const resource = resourceFromAttributes({ 'service.name': 'untildone', 'service.version': version }).merge(
    detectResources({ detectors: [envDetector] }),
  );
  const limits = { timeoutMillis: Math.min(REQUEST_MS, askedTimeout() ?? REQUEST_MS) };
  const sender = traces ? spanSender(new OTLPTraceExporter(limits), resource, version) : undefined;
  const meters = metrics ? meterFor(new OTLPMetricExporter(limits), resource, version) : undefined;
  return {
    send(spans) {
      sender?.send(spans);
      for (const measure of spans.flatMap(measuresOf)) meters?.record(measure);
    },
    settled: async () => sender?.settled(),
    async close(limitMs) {
      const over = new Promise<string>((resolve) => {
        setTimeout(() => resolve(`no answer within ${Math.round(limitMs / 100) / 10} s`), limitMs).unref();
      });
      const done = Promise.all([sender?.close(), meters?.close()]).then((problems) => problems.find(Boolean));
      return Promise.race([done, over]);
    },
  };
}

function askedTimeout(): number | undefined {
  const asked = Number(process.env.OTEL_EXPORTER_OTLP_TIMEOUT);
  return Number.isFinite(asked) && asked > 0 ? asked : undefined;
}

function spanSender(exporter: OTLPTraceExporter, resource: Resource, version: string) {
  const underWay = new Set<Promise<void>>();
  let problem: string | undefined;
  const post = (spans: ReadableSpan[]) =>
    new Promise<void>((resolve) => {
      exporter.export(spans, ({ error }) => {
        if (error) problem ??= error.message;
        resolve();
      });
    });
  return {
    send(spans: readonly FinishedSpan[]): void {
      for (let at = 0; at < spans.length; at += BATCH) {
        if (underWay.size >= MOST_UNDER_WAY) {
          problem ??= 'it is too slow: spans were dropped';
          return;
        }
        const batch = spans.slice(at, at + BATCH).map((span) => readable(span, resource, version));
        const posted = post(batch).finally(() => underWay.delete(posted));
        underWay.add(posted);
      }
    },
    settled: async () => void (await Promise.all(underWay)),
    async close(): Promise<string | undefined> {
      await Promise.all(underWay);
      await exporter.shutdown().catch(() => undefined);
      return problem;
    },
  };
}

function readable(span: FinishedSpan, resource: Resource, version: string): ReadableSpan {
  const { traceId, spanId, parentId, startMs, endMs, error } = span;
  const context = (id: string) => ({ traceId, spanId: id, traceFlags: TraceFlags.SAMPLED });
  return {
    name: span.name,
    kind: SpanKind.INTERNAL,
    spanContext: () => context(spanId),
    parentSpanContext: parentId === undefined ? undefined : context(parentId),
    startTime: hrTime(startMs),
    endTime: hrTime(endMs),
    duration: hrTime(endMs - startMs),
    status: error === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR },
    attributes: error === undefined ? span.attributes : { ...span.attributes, 'error.type': error },
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: 'untildone', version },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function hrTime(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}

/** A live run sends its metrics every minute, and at its end. */
const EVERY_MS = 60_000;

function meterFor(exporter: OTLPMetricExporter, resource: Resource, version: string) {
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: EVERY_MS,
    exportTimeoutMillis: REQUEST_MS,
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  const meter = provider.getMeter('untildone', version);
  type Add = (value: number, attributes: Measure['attributes']) => void;
  const instruments = new Map<string, Add>();
  const instrument = (name: string, kind: Measure['kind'], unit: string): Add => {
    if (kind === 'counter') {
      const counter = meter.createCounter(name, { unit });
      return (value, attributes) => counter.add(value, attributes);
    }
    const histogram = meter.createHistogram(name, { unit });
    return (value, attributes) => histogram.record(value, attributes);
  };
  const record = ({ name, kind, unit, value, attributes }: Measure): void => {
    const add = instruments.get(name) ?? instrument(name, kind, unit);
    instruments.set(name, add);
    add(value, attributes);
  };
  return {
    record,
    async close(): Promise<string | undefined> {
      try {
        await provider.shutdown();
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },
  };
}
