import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, vi } from 'vitest';

export const FIXTURES = fileURLToPath(new URL('../../fixtures/transcripts/', import.meta.url));

let folderOfTest = '';

/** A fresh folder for every test of a file, gone after it; every spy is taken away again. */
export function useTranscript(): void {
  beforeEach(() => {
    folderOfTest = fs.mkdtempSync(join(tmpdir(), 'untildone-transcript-'));
  });
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    fs.rmSync(folderOfTest, { recursive: true });
  });
}

/** A spy that modules see, too, which import the function by its name. */
export function spied<Name extends 'readSync' | 'openSync' | 'closeSync'>(name: Name) {
  const spy = vi.spyOn(fs, name);
  syncBuiltinESMExports();
  return spy;
}

export const folder = () => folderOfTest;
export const file = () => join(folderOfTest, 'session.jsonl');

const line = (entry: object): string => `${JSON.stringify(entry)}\n`;
export const prompt = line({ type: 'user', message: { content: 'go' } });
export const feedback = line({
  type: 'user',
  isMeta: true,
  message: { content: 'Stop hook feedback:\nno' },
});

function answer(id: string, blocks: object[], input = 10): string {
  const stop_reason = blocks.some((block) => 'id' in block) ? 'tool_use' : 'end_turn';
  const usage = { input_tokens: input, cache_read_input_tokens: 1, output_tokens: 5 };
  return line({
    type: 'assistant',
    message: { id, model: 'claude-opus-5-5', content: blocks, stop_reason, usage },
  });
}

export const says = (id: string, text: string, input?: number) => answer(id, [{ type: 'text', text }], input);
export const calls = (id: string, tool: string) =>
  answer(id, [{ type: 'tool_use', id: tool, name: 'Bash', input: {} }]);
export const result = (tool: string, content = 'ok') =>
  line({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: tool, content }] } });
