import { jsonLines } from '../../engine/core/text/visible.ts';
import { homeRoot } from '../../engine/home/layout.ts';
import { thisProgram, VERSION } from '../../engine/home/program.ts';
import { claudeConfigDir, projectOf } from '../../engine/hook/wiring/project.ts';
import { openProjectToRead } from '../../engine/hook/wiring/project-ports.ts';
import { watchInterruption } from '../../engine/terminal/interruption.ts';
import { out, warn } from '../../engine/terminal/print.ts';
import { proveHeld } from '../setup/prove.ts';
import { type Basics, examine, mend } from './doctor.ts';
import { type Diagnosis, exitCodeOf, type Proof, reportJson, reportLines } from './report.ts';

interface DoctorFlags {
  json: boolean;
  fix: boolean;
  proof: boolean;
}

/** `untildone doctor`. */
export async function examineHere({ json, fix, proof }: DoctorFlags): Promise<void> {
  const basics = basicsHere();
  const first = await examine(basics, openProjectToRead);
  const mended = fix ? mend(first.findings) : [];
  const looked = mended.length > 0 ? await examine(basics, openProjectToRead) : first;
  if (proof && !json && process.stderr.isTTY)
    warn('Looking; the proof with Claude Code takes some seconds ...');
  const interruption = proof ? watchInterruption() : undefined;
  const diagnosis: Diagnosis = {
    version: VERSION,
    project: basics.project,
    looked,
    mended,
    ...(interruption ? { proof: await proveHere(basics.project, interruption.signal) } : {}),
  };
  for (const line of json ? jsonLines(reportJson(diagnosis)) : reportLines(diagnosis)) out(line);
  process.exitCode = interruption?.exitCode() ?? exitCodeOf(diagnosis);
}

/** A small session of the real Claude Code, offline. Ctrl-C ends it early. */
function proveHere(project: string, signal: AbortSignal): Promise<Proof> {
  return proveHeld({ project, env: process.env, signal });
}

function basicsHere(): Basics {
  const { env } = process;
  return {
    env,
    project: projectOf(undefined, env, process.cwd()),
    home: homeRoot(env),
    claudeConfigDir: claudeConfigDir(env),
    now: Date.now(),
    nodeVersion: process.versions.node,
    program: thisProgram(),
  };
}
