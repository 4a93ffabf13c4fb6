import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI, type HookScene } from './hook-scene.ts';
import { REPORT_PEAK } from './peak-memory.ts';
import { compareMedians, type Row } from './report.ts';
import { writeTranscript } from './transcript.ts';

const MB = 1024 * 1024;
const GB = 1024 * MB;
/** Bytes in a second, and megabytes of memory: what an audit may cost. */
const SLOWEST = 100 * 1000 * 1000;
const MOST_MEMORY = 200;
const ROUNDS = 3;

/** Measures how fast transcripts are audited, and in how much memory: as one long session, and as many. */
export function measureAudit(scene: HookScene): Row[] {
  const { bavail, bsize } = statfsSync(scene.root);
  if (bavail * bsize < 3 * GB) throw new Error(`${scene.root} has too little room: 3 GB are needed`);
  return [...rowsFor(scene, 'one session', 1), ...rowsFor(scene, '16 sessions', 16)];
}

function rowsFor(scene: HookScene, name: string, files: number): Row[] {
  const config = join(scene.root, `config-${files}`);
  const projects = join(config, 'projects', '-project');
  mkdirSync(projects, { recursive: true });
  const first = join(projects, 's0.jsonl');
  writeTranscript(first, GB / files);
  for (let i = 1; i < files; i++) copyFileSync(first, join(projects, `s${i}.jsonl`));
  const runs = Array.from({ length: ROUNDS }, () => auditOnce(scene, config));
  rmSync(config, { recursive: true });
  const fastest = Math.min(...runs.map(({ ms }) => ms));
  const speed = Math.round(GB / 1000 / fastest);
  return [
    compareMedians(
      runs.map(({ ms }) => ms),
      [(1000 * GB) / SLOWEST],
      { name: `audit of 1 GB in ${name}, best ${speed} MB/s`, against: '100 MB/s', target: 1 },
    ),
    compareMedians(
      runs.map(({ peak }) => peak),
      [MOST_MEMORY],
      { name: `peak memory, audit of 1 GB in ${name}`, against: '200 MB', unit: 'MB', target: 1 },
    ),
  ];
}

function auditOnce(scene: HookScene, config: string): { ms: number; peak: number } {
  const preloaded = join(scene.root, 'report-peak.cjs');
  const peakFile = join(scene.root, 'peak');
  writeFileSync(preloaded, REPORT_PEAK);
  const start = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--require', preloaded, CLI, 'audit', '--since', 'all', '--json'],
    { encoding: 'utf8', env: { ...process.env, CLAUDE_CONFIG_DIR: config, BENCH_PEAK_FILE: peakFile } },
  );
  const ms = performance.now() - start;
  if (status !== 0) throw new Error(`the audit ended with ${status}: ${stderr}`);
  return { ms, peak: Number(readFileSync(peakFile, 'utf8')) / 1024 };
}
