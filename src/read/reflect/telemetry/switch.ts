/** Whether telemetry is sent, by the variables that the tools of OpenTelemetry share. Without any of them nothing is. */

export interface TelemetrySwitch {
  traces: boolean;
  metrics: boolean;
  /** Where traces go, else metrics, without what may be secret in the address. */
  endpoint: string;
  /** What you should know about how the variables were taken. */
  notes: string[];
}

const DEFAULT_ENDPOINT = 'http://localhost:4318';

/** Undefined: nothing is sent. `asked`: the command itself asks for it, so that an endpoint need not be named. */
export function telemetryFrom(env: NodeJS.ProcessEnv, asked = false): TelemetrySwitch | undefined {
  const own = env.UNTILDONE_TELEMETRY?.trim();
  if (own === '0' || own === 'false' || isTrue(env.OTEL_SDK_DISABLED)) return undefined;
  const isOn = asked || own === '1' || own === 'true';
  const traces = isWanted(env, 'TRACES', isOn);
  const metrics = isWanted(env, 'METRICS', isOn);
  if (!traces && !metrics) return undefined;
  const address =
    (traces ? env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT : undefined) ||
    (metrics && !traces ? env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT : undefined) ||
    env.OTEL_EXPORTER_OTLP_ENDPOINT ||
    DEFAULT_ENDPOINT;
  return { traces, metrics, endpoint: withoutSecrets(address), notes: protocolNotes(env) };
}

/** A signal is sent when its endpoint is named, or its exporter is called `otlp`; never when that is called otherwise. */
function isWanted(env: NodeJS.ProcessEnv, signal: 'TRACES' | 'METRICS', isOn: boolean): boolean {
  const exporters = (env[`OTEL_${signal}_EXPORTER`] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const hasEndpoint = Boolean(
    env.OTEL_EXPORTER_OTLP_ENDPOINT || env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`],
  );
  if (exporters.length === 0) return isOn || hasEndpoint;
  // Other tools have exporters of other names. Without an endpoint, `otlp` alone may be meant for them, too.
  return exporters.includes('otlp') && (isOn || hasEndpoint);
}

function protocolNotes(env: NodeJS.ProcessEnv): string[] {
  const named =
    env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ||
    env.OTEL_EXPORTER_OTLP_METRICS_PROTOCOL ||
    env.OTEL_EXPORTER_OTLP_PROTOCOL;
  switch (named?.trim()) {
    case undefined:
    case '':
    case 'http/json':
      return [];
    case 'grpc':
      return [
        'telemetry is sent as OTLP over HTTP, not gRPC: let OTEL_EXPORTER_OTLP_ENDPOINT name the HTTP port (most often 4318)',
      ];
    case 'http/protobuf':
      return [
        'telemetry is sent as http/json, although OTEL_EXPORTER_OTLP_PROTOCOL asks for http/protobuf: collectors take both at the same address',
      ];
    default:
      return [
        'telemetry is sent as http/json: OTEL_EXPORTER_OTLP_PROTOCOL names a protocol that is not known',
      ];
  }
}

function isTrue(text: string | undefined): boolean {
  return text?.trim().toLowerCase() === 'true';
}

function withoutSecrets(address: string): string {
  try {
    const { protocol, host, pathname } = new URL(address);
    return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
  } catch {
    return 'an address that cannot be read';
  }
}
