import type { ToolCalls } from '../../ports/ports.ts';
import { isFields } from '../fields.ts';
import { readAt, withFile } from './file.ts';

/** The most bytes that one hook reads. What is left is read by the next one. */
const MAX_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * The tool calls, and their failures, in the complete lines of a transcript from a byte offset on. A torn last line waits for
 * the next read, and so does what is more than one hook may read. A file that is shorter than `from` is a new file. Never
 * throws.
 */
export function readToolCalls(path: string, from: number, maxBytes = MAX_BYTES): ToolCalls {
  const found: ToolCalls = {
    offset: Number.isSafeInteger(from) && from > 0 ? from : 0,
    calls: [],
    failed: [],
  };
  withFile(path, (fd, size) => {
    if (found.offset > size) found.offset = 0;
    const start = found.offset;
    const chunk = readAt(fd, start, Math.min(maxBytes, size - start));
    for (let begin = 0; ; ) {
      const end = chunk.indexOf(NEWLINE, begin);
      if (end < 0) {
        // A single line that is longer than everything one hook may read is left out.
        if (begin === 0 && chunk.length === maxBytes) found.offset = start + chunk.length;
        return;
      }
      const line = chunk.subarray(begin, end);
      if (line.includes('"tool_use"') || line.includes('"tool_result"'))
        seeLine(line.toString('utf8'), found);
      begin = end + 1;
      found.offset = start + begin;
    }
  });
  return found;
}

function seeLine(text: string, found: ToolCalls): void {
  const line = parsed(text);
  const at = typeof line?.timestamp === 'string' ? Date.parse(line.timestamp) : Number.NaN;
  const content = isFields(line?.message) ? line.message.content : undefined;
  for (const block of Array.isArray(content) ? content : []) {
    if (!isFields(block)) continue;
    const { type, id, name, tool_use_id: of, is_error: isError } = block;
    const time = Number.isNaN(at) ? {} : { at };
    if (type === 'tool_use' && typeof name === 'string')
      found.calls.push({ id: typeof id === 'string' ? id : '', tool: name, ...time });
    if (type === 'tool_result' && isError === true)
      found.failed.push({ id: typeof of === 'string' ? of : '', ...time });
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
