import { closeSync, openSync, writeSync } from 'node:fs';

const USAGE = {
  input_tokens: 3,
  cache_creation_input_tokens: 1_204,
  cache_read_input_tokens: 48_310,
  output_tokens: 412,
};

/** Writes a session's transcript of about so many bytes: one long turn of tool calls, then a text that ends the turn. */
export function writeTranscript(path: string, bytes: number): void {
  const fd = openSync(path, 'w', 0o600);
  try {
    const end = Buffer.from(`${promptLine()}\n${finalLine()}\n`);
    const block = Buffer.from(`${toolCalls()}\n`);
    let left = bytes - end.length;
    // Whole blocks, and at last as much of one as ends with a line.
    for (; left >= block.length; left -= block.length) writeSync(fd, block);
    const lastBreak = left > 0 ? block.lastIndexOf('\n', left) : -1;
    if (lastBreak > 0) writeSync(fd, block.subarray(0, lastBreak + 1));
    writeSync(fd, end);
  } finally {
    closeSync(fd);
  }
}

/** About a megabyte of what a working session writes: answers, tool calls, their results, and snapshots of prompts. */
function toolCalls(): string {
  const lines: object[] = [];
  for (let call = 0; call < 64; call++) {
    const message = `msg_01${String(call).padStart(20, '0')}`;
    const tool = `toolu_01${String(call).padStart(18, '0')}`;
    lines.push(
      answer(
        message,
        { type: 'thinking', thinking: prose(600), signature: 'c2lnbmF0dXJl'.repeat(20) },
        'tool_use',
      ),
      answer(message, { type: 'text', text: prose(300) }, 'tool_use'),
      answer(
        message,
        { type: 'tool_use', id: tool, name: 'Bash', input: { command: prose(120) } },
        'tool_use',
      ),
      toolResult(tool, prose(call % 8 === 0 ? 40_000 : 4_000)),
    );
    if (call % 32 === 0)
      lines.push({
        type: 'attachment',
        ...common(),
        attachment: { type: 'prompt_snapshot', text: prose(50_000) },
      });
  }
  return lines.map((line) => JSON.stringify(line)).join('\n');
}

function promptLine(): string {
  const message = { role: 'user', content: 'Build the thing' };
  return JSON.stringify({ type: 'user', ...common(), promptSource: 'sdk', message });
}

function finalLine(): string {
  return JSON.stringify(answer('msg_01final', { type: 'text', text: 'A part of it is done.' }, 'end_turn'));
}

function answer(id: string, block: object, stopReason: string): object {
  const message = {
    id,
    model: 'claude-opus-5-5',
    role: 'assistant',
    content: [block],
    stop_reason: stopReason,
    usage: USAGE,
  };
  return { type: 'assistant', ...common(), message, requestId: `req_${id}` };
}

function toolResult(id: string, content: string): object {
  const message = {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content, is_error: false }],
  };
  return {
    type: 'user',
    ...common(),
    message,
    toolUseResult: { stdout: content, stderr: '', interrupted: false },
  };
}

function common(): object {
  return {
    parentUuid: '7f6f2a52-54b1-4d6c-8f51-1e3a9d6f3b10',
    isSidechain: false,
    uuid: '0d3c1f64-6a2b-4f6e-9b57-2f8f1d2c7a11',
    timestamp: '2026-01-01T00:00:00.000Z',
    cwd: '/project',
    sessionId: '5a1f7c1e-2a34-4c58-8d9b-6b1f0e7f2c12',
    version: '2.1.325',
    gitBranch: 'main',
  };
}

function prose(length: number): string {
  const sentence =
    'The parser now reads the "quoted" form too — naïve input, tabs\tand line breaks\nincluded. ';
  return sentence.repeat(Math.ceil(length / sentence.length)).slice(0, length);
}
