import fs from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSubagentUsage } from '../../../../src/engine/client/transcript/subagent-usage.ts';
import type { AgentsRead, LoopState } from '../../../../src/engine/core/loop/state.ts';
import { agentsRead, countAgents } from '../../../../src/engine/core/loop/subagent-usage.ts';
import { freshLoop } from '../../../support/core/samples.ts';
import { makeFifo } from '../../../support/files/workers.ts';
import { file, folder, says, spied, useTranscript } from '../../../support/project/transcript-scene.ts';

useTranscript();

const NEW: AgentsRead = { since: 0, files: [] };
const agentFile = (name: string) => join(folder(), 'session/subagents', name);

function put(name: string, text: string): string {
  const path = agentFile(name);
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.appendFileSync(path, text);
  return path;
}

/** A line that names its time. */
const at = (time: number, id: string, tokens: number) =>
  `${JSON.stringify({ ...JSON.parse(says(id, 'x', tokens)), timestamp: new Date(time).toISOString() })}\n`;

/** Looks once, and counts what was found. */
const look = (state: LoopState, maxBytes?: number) =>
  countAgents(state, readSubagentUsage(file(), agentsRead(state), maxBytes));
const tokensIn = (state: LoopState) => [state.spent.tokens, state.spentBySubagents ?? 0];
const begun = (startedAt = 0) => freshLoop({ startedAt });

describe('what subagents spend', () => {
  it('is counted, each answer once, in files of nested agents and of workflows, too', () => {
    put('agent-a.jsonl', says('m1', 'thinking', 1000) + says('m1', 'text', 1000) + says('m2', 'x', 20));
    put('workflows/run-1/agent-b.jsonl', says('m3', 'x', 300));
    put('agent-a.meta.json', '{"usage":{}}');
    put('notes.jsonl', says('m4', 'x', 7));
    expect(tokensIn(look(begun()))).toEqual([1005 + 25 + 305, 1335]);
  });

  it('is counted from where the last look ended', () => {
    put('agent-a.jsonl', says('m1', 'x', 1000));
    const first = look(begun());
    expect(readSubagentUsage(file(), agentsRead(first))).toEqual([]);
    // Another block of the same answer, then a new one.
    put('agent-a.jsonl', says('m1', 'y', 1000) + says('m2', 'y', 20) + says('m3', 'torn', 50).slice(0, -9));
    put('agent-b.jsonl', says('m4', 'x', 300));
    const second = look(first);
    expect(tokensIn(second)).toEqual([1005 + 25 + 305, 1335]);
    put('agent-a.jsonl', says('m3', 'torn', 50).slice(-9));
    expect(tokensIn(look(second))).toEqual([1335 + 55, 1390]);
  });

  it('is counted once when several hooks look at the same time', () => {
    put('agent-a.jsonl', says('m1', 'x', 1000));
    const state = begun();
    const [a, b] = [0, 1].map(() => readSubagentUsage(file(), agentsRead(state)));
    put('agent-a.jsonl', says('m2', 'x', 20));
    const c = readSubagentUsage(file(), agentsRead(state));
    const after = [a, c, b].reduce(countAgents, state);
    expect(tokensIn(after)).toEqual([1005, 1005]);
    expect(tokensIn(look(after))).toEqual([1030, 1030]);
  });

  it('before the loop is not counted, nor is what an older subagent spent before it goes on', () => {
    const old = put('agent-old.jsonl', says('m1', 'x', 1000));
    fs.utimesSync(old, 1, 1);
    const start = Date.now() + 60_000;
    put('agent-goes-on.jsonl', at(start - 5000, 'm2', 500) + at(start + 5000, 'm3', 20));
    fs.utimesSync(agentFile('agent-goes-on.jsonl'), start / 1000 + 9, start / 1000 + 9);
    const first = look(begun(start));
    expect(tokensIn(first)).toEqual([25, 25]);
    put('agent-goes-on.jsonl', at(start + 6000, 'm4', 30));
    expect(tokensIn(look(first))).toEqual([60, 60]);
  });

  it('before the loop is not counted by later looks either, when one look cannot read it all', () => {
    const start = Date.now() + 60_000;
    const lines = Array.from({ length: 40 }, (_, n) => at(start - 5000, `m${n}`, 500));
    put('agent-long.jsonl', lines.join('') + at(start + 5000, 'new', 20));
    fs.utimesSync(agentFile('agent-long.jsonl'), start / 1000 + 9, start / 1000 + 9);
    let state = begun(start);
    for (let i = 0; i < 20; i++) state = look(state, 1500);
    expect(tokensIn(state)).toEqual([25, 25]);
  });

  it('is not counted again while a transcript is written anew line by line', () => {
    const old = [at(1000, 'm1', 1000), at(2000, 'm2', 2000), at(3000, 'm3', 3000)];
    put('agent-a.jsonl', old.join(''));
    let state = look(begun());
    fs.truncateSync(agentFile('agent-a.jsonl'));
    for (const line of [...old, at(Date.now() + 60_000, 'm4', 20)]) {
      state = look(state);
      put('agent-a.jsonl', line);
    }
    expect(tokensIn(look(state))).toEqual([6040, 6040]);
  });

  it('is not counted again when a transcript is written anew, shorter than before', () => {
    put('agent-a.jsonl', at(1000, 'm1', 1000) + at(2000, 'm2', 2000));
    const first = look(begun());
    const later = Date.now() + 60_000;
    fs.writeFileSync(agentFile('agent-a.jsonl'), at(1000, 'm1', 1000));
    const second = look(first);
    expect(tokensIn(second)).toEqual([3010, 3010]);
    fs.appendFileSync(agentFile('agent-a.jsonl'), at(later, 'm3', 20));
    expect(tokensIn(look(second))).toEqual([3035, 3035]);
  });

  it('of a transcript that was removed stays counted', () => {
    put('agent-a.jsonl', says('m1', 'x', 1000));
    const first = look(begun());
    fs.rmSync(agentFile('agent-a.jsonl'));
    expect(tokensIn(look(first))).toEqual([1005, 1005]);
  });

  it('of more than one look reads is counted by the next looks, nothing left out', () => {
    const lines = Array.from({ length: 50 }, (_, n) => says(`m${n}`, 'x'.repeat(n * 7), 10));
    put('agent-a.jsonl', lines.slice(0, 30).join(''));
    put('agent-b.jsonl', `${'y'.repeat(3000)}\n${lines.slice(30).join('')}`);
    let state = begun();
    for (let i = 0; i < 60; i++) state = look(state, 1500);
    expect(tokensIn(state)).toEqual([50 * 15, 750]);
  });

  it('is looked for in so many bytes, whatever the files hold', () => {
    for (const name of ['a', 'b', 'c']) put(`agent-${name}.jsonl`, 'no line, only text '.repeat(10_000));
    const reads = spied('readSync');
    readSubagentUsage(file(), NEW, 100_000);
    const bytes = reads.mock.results.reduce((sum, { value }) => sum + Number(value), 0);
    expect(bytes).toBeLessThanOrEqual(100_000);
  });

  it('of hundreds is counted once, although only the newest are remembered', () => {
    const hour = Date.now() + 3_600_000;
    const random = fc.sample(fc.integer({ min: 0, max: 299 }), 40);
    for (let i = 0; i < 300; i++) {
      const path = put(`agent-${i}.jsonl`, at(hour + i * 1000, `m${i}`, 10));
      fs.utimesSync(path, hour / 1000 + i, hour / 1000 + i);
    }
    let state = begun(1);
    for (let i = 0; i < 3; i++) state = look(state);
    expect(tokensIn(state)).toEqual([300 * 15, 4500]);
    expect(JSON.stringify(state.read).length).toBeLessThan(64 * 120);
    // Some go on, also some that are not remembered one by one.
    for (const i of new Set(random)) {
      const path = put(`agent-${i}.jsonl`, at(2 * hour + i, `again${i}`, 10));
      fs.utimesSync(path, (2 * hour) / 1000 + i, (2 * hour) / 1000 + i);
    }
    const more = new Set(random).size * 15;
    for (let i = 0; i < 3; i++) state = look(state);
    expect(tokensIn(state)).toEqual([4500 + more, 4500 + more]);
  });

  it('is nothing where there is no folder, or something else in its place', () => {
    expect(readSubagentUsage(file(), NEW)).toEqual([]);
    for (const path of ['', '/', '\0.jsonl', '/dev/zero', `/${'n/'.repeat(5000)}t.jsonl`, 'x.jsonl'])
      expect(readSubagentUsage(path, NEW)).toEqual([]);
    fs.mkdirSync(agentFile('agent-folder.jsonl'), { recursive: true });
    makeFifo(agentFile('agent-fifo.jsonl'));
    fs.symlinkSync(agentFile('agent-loop.jsonl'), agentFile('agent-loop.jsonl'));
    fs.symlinkSync('/dev/zero', agentFile('agent-zero.jsonl'));
    fs.symlinkSync('..', agentFile('up'));
    put('agent-bytes.jsonl', '\0\xff{"usage":\n[]\n"usage"\n{"type":"assistant","message":{"usage":7}}\n');
    put('agent-acompact-1.jsonl', says('m1', 'the session again', 5000));
    expect(tokensIn(look(begun()))).toEqual([0, 0]);
  });
});
