import type { Proof } from '../../core/loop/verdict.ts';
import type { ShellResult } from '../../ports/ports.ts';
import type { Judgement } from '../gate.ts';
import { failureFingerprint, usefulLines } from './useful-lines.ts';

/** Gates have no limit of their own: whoever has them judged aborts them in time. */
export const UNTIL_ABORTED = Number.POSITIVE_INFINITY;

/** What a command's end says about the work. */
export function judgementOf(command: string, result: ShellResult): Judgement {
  if (result.exitCode === 0) return { outcome: 'pass', summary: `\`${command}\` succeeds` };
  const evidence = usefulLines(result.output);
  const why = whyUnproven(result);
  if (why !== undefined) return { outcome: 'unproven', summary: `\`${command}\` ${why}`, evidence };
  return {
    outcome: 'fail',
    summary: `\`${command}\` fails with exit code ${result.exitCode}`,
    evidence,
    fingerprint: failureFingerprint(result.output),
  };
}

function whyUnproven({ exitCode, endedBy }: ShellResult): string | undefined {
  if (exitCode === 127) return 'could not be run: command not found';
  if (exitCode === 126) return 'could not be run: not executable';
  switch (endedBy) {
    case 'not_started':
      return 'could not be started';
    case 'timeout':
      return 'did not end in time';
    case 'abort':
      return 'was stopped before it ended';
    case 'signal':
      return 'was ended by a signal';
    default:
      return undefined;
  }
}

export function proofOf(command: string, result: ShellResult, outputFile: string): Proof {
  return {
    command,
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    durationMs: result.durationMs,
    outputSha256: result.outputSha256,
    outputFile,
  };
}
