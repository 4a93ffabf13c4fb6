import { transcriptFiles } from '../../client/transcript/file.ts';
import { readSubagentUsage } from '../../client/transcript/subagent-usage.ts';
import type { Transcripts } from '../../ports/ports.ts';

export function transcriptsHere(): Transcripts {
  return { ...transcriptFiles, subagents: readSubagentUsage };
}
