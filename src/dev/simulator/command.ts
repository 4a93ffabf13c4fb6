/** `untildone simulate`: serves a scripted model, so that Claude Code can be tried without an account. */

import { once } from 'node:events';
import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';
import { UsageError } from '../../engine/core/text/errors.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { watchInterruption } from '../../engine/terminal/interruption.ts';
import { out, warn } from '../../engine/terminal/print.ts';
import { type SimulatorRequest, startSimulator } from './server.ts';
import { parseSimulatorScript, type Script, SimulatorScriptError } from './simulator-script.ts';

export interface SimulateOptions {
  script: string;
  port?: number;
  log?: string;
}

/** Returns the exit code of the interruption. */
export async function simulate(options: SimulateOptions): Promise<number> {
  const interruption = watchInterruption();
  const script = readScript(options.script);
  const log = options.log === undefined ? undefined : openLog(options.log);
  const simulator = await startSimulator({
    script,
    port: options.port,
    onRequest: (request) => {
      out(requestInWords(request));
      log?.write(request);
    },
  }).catch((error: unknown) => {
    throw new UsageError(
      `cannot listen on port ${options.port ?? 0}; name another one with --port: ${(error as Error).message}`,
    );
  });
  out(`Serving ${options.script} until you press Ctrl-C. The address, and a key that opens nothing:`);
  out(`export ANTHROPIC_BASE_URL=${simulator.url}`);
  out('export ANTHROPIC_API_KEY=simulated');
  if (!interruption.signal.aborted) await once(interruption.signal, 'abort');
  await simulator.close();
  log?.close();
  return interruption.exitCode() ?? EXIT.ok;
}

function readScript(path: string): Script {
  try {
    return parseSimulatorScript(readFileSync(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof SimulatorScriptError) throw new UsageError(error.message);
    throw new UsageError(`cannot read the script: ${(error as Error).message}`);
  }
}

function requestInWords({ kind, n, servedBy, method, path }: SimulatorRequest): string {
  if (kind === 'messages') return `request ${n}: ${servedBy}`;
  return kind === 'refused' ? `refused: ${method} ${path}` : kind;
}

interface Log {
  write(request: SimulatorRequest): void;
  close(): void;
}

function openLog(path: string): Log {
  try {
    const file = openSync(path, 'a', 0o600);
    return { write: (request) => append(file, path, request), close: () => closeSync(file) };
  } catch (error) {
    throw new UsageError(`cannot write the log: ${(error as Error).message}`);
  }
}

/** Appends a request to the log. A full disk must not change what Claude Code is answered. */
function append(file: number, path: string, request: SimulatorRequest): void {
  try {
    appendFileSync(file, `${JSON.stringify(logLine(request))}\n`);
  } catch (error) {
    warn(`untildone: a request is missing in ${path}: ${(error as Error).message}`);
  }
}

const SECRETS = ['x-api-key', 'authorization', 'proxy-authorization', 'cookie'];

/** Leaves keys out: Claude Code may still have a real one. */
function logLine({ at, headers, ...request }: SimulatorRequest): object {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    SECRETS.includes(name) ? '[left out]' : value,
  ]);
  return { at: new Date(at).toISOString(), ...request, headers: Object.fromEntries(shown) };
}
