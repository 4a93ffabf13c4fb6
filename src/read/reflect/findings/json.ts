import type { Cost, Finding, Place } from './finding.ts';
import {
  type LoopReport,
  type Metrics,
  type Report,
  severityCounts,
  tokensOf,
  toolsByCalls,
} from './report.ts';
import type { TraceFigures } from './trace.ts';

/** A report as JSON: `untildone reflect --json`, and the digest that a model reads. Fields are added, never renamed. */

const iso = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());

export function reportJson(report: Report) {
  const { scope, reading } = report;
  return {
    scope: { kind: scope.kind, id: scope.id, since: 'since' in scope ? iso(scope.since) : null },
    at: iso(report.at),
    metrics: metricsJson(report.metrics),
    claude_trace: traceJson(report.trace),
    severities: severityCounts(report.findings),
    findings: report.findings.map(findingJson),
    suggestions: report.suggestions,
    sessions: report.sessions.map((session) => ({
      session: session.session,
      file: session.file,
      severities: severityCounts(session.findings),
      total_messages: session.metrics.userMessages + session.metrics.assistantMessages,
      tool_uses: session.metrics.toolUses,
      started_at: iso(session.metrics.startedAt),
      ended_at: iso(session.metrics.endedAt),
      findings: session.findings.map(({ fingerprint }) => fingerprint),
    })),
    loops: report.loops.map(loopJson),
    read: {
      files: reading.files,
      bytes: reading.bytes,
      lines: reading.lines,
      bad_lines: reading.badLines,
      problems: reading.problems,
    },
  };
}

export function findingJson({
  type,
  severity,
  title,
  count,
  fields,
  places,
  cost,
  suggestion,
  ...rest
}: Finding) {
  return {
    type,
    severity,
    title,
    count,
    ...fields,
    evidence: places.map(placeJson),
    cost: costJson(cost),
    suggestion,
    in: rest.in,
    fingerprint: rest.fingerprint,
  };
}

function placeJson({ file, line, at, what }: Place) {
  return { file, line, at: iso(at), what: what ?? null };
}

function costJson({ ms, tokens }: Cost) {
  return { ms: Math.round(ms), tokens };
}

export function metricsJson(metrics: Metrics) {
  const { input, cacheCreation, cacheRead, output } = tokensOf(metrics);
  return {
    total_messages: metrics.userMessages + metrics.assistantMessages,
    user_messages: metrics.userMessages,
    assistant_messages: metrics.assistantMessages,
    tool_uses: metrics.toolUses,
    prompts: metrics.prompts,
    started_at: iso(metrics.startedAt),
    ended_at: iso(metrics.endedAt),
    cost_usd: metrics.costUsd ?? null,
    tokens: { input, cache_creation: cacheCreation, cache_read: cacheRead, output },
    models: Object.entries(metrics.models).map(([model, figures]) => ({
      model,
      answers: figures.answers,
      input: figures.input,
      cache_creation: figures.cacheCreation,
      cache_read: figures.cacheRead,
      output: figures.output,
    })),
    tools: toolsByCalls(metrics).map(([tool, { calls, failed, ms, tokens }]) => ({
      tool,
      calls,
      failed,
      ms,
      tokens,
    })),
  };
}

export function traceJson(trace: TraceFigures) {
  return {
    files: trace.files,
    requests: trace.requests,
    token_usage: { input: trace.inputTokens, output: trace.outputTokens },
    api_errors: trace.apiErrors,
    rate_limits: trace.rateLimits,
    slow_requests: trace.slowRequests,
  };
}

function loopJson(loop: LoopReport) {
  return {
    loop: loop.loop,
    status: loop.status,
    iterations: loop.iterations,
    stops: loop.stops,
    held: loop.held,
    started_at: iso(loop.startedAt),
    sessions: loop.sessions,
    gates: loop.gates.map(({ name, kind, judged, blocked, passedAt }) => ({
      name,
      kind,
      judged,
      blocked,
      passed_at_iteration: passedAt ?? null,
    })),
    tokens: loop.spent.tokens,
    cost_usd: loop.spent.costUsd,
    findings: loop.findings.map(({ fingerprint }) => fingerprint),
  };
}
