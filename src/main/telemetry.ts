/** The bundle that sends telemetry. It is loaded only where that is switched on. */
export { openExport } from '../read/reflect/telemetry/export.ts';
