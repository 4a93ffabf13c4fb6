import type { openExport } from './export.ts';

/** What `telemetry.cjs` offers. It is large, and loaded only where telemetry is switched on. */
export interface TelemetryBundle {
  openExport: typeof openExport;
}

export function loadTelemetry(): TelemetryBundle {
  return require('./telemetry.cjs') as TelemetryBundle;
}
