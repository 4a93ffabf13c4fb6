import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI, type HookScene } from './hook-scene.ts';
import { REPORT_PEAK } from './peak-memory.ts';
import { compareMedians, type Row } from './report.ts';
import { writeTranscript } from './transcript.ts';

const MB = 1024 * 1024;
const GB = 1024 * MB;
const SESSIONS = 8;
const ROUNDS = 3;
const LEAST_MB_A_SECOND = 100;
const MOST_MB = 200;

/** Measures `untildone reflect` over 1 GB of transcripts: of one session, and of eight. */
export function measureReflect(scene: HookScene): Row[] {
  const { bavail, bsize } = statfsSync(scene.root);
  if (bavail * bsize < 2.5 * GB) throw new Error(`${scene.root} has too little room: 2.5 GB are needed`);
  const home = join(scene.root, 'reflected');
  const project = join(home, 'project');
  const sessions = join(home, '.claude', 'projects', project.replace(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(join(project, '.git'), { recursive: true });
  mkdirSync(sessions, { recursive: true });
  const whole = join(home, 'whole.jsonl');
  writeTranscript(whole, GB);
  for (let number = 0; number < SESSIONS; number++)
    writeTranscript(join(sessions, `session-${number}.jsonl`), GB / SESSIONS);
  const reflect = (...args: string[]) => measured(scene, { home, project }, args);
  return [
    ...rowsOf('reflect, one session of 1 GB', () => reflect(whole)),
    ...rowsOf(`reflect, ${SESSIONS} sessions of 1 GB`, () => reflect('--since', '36500d')),
  ];
}

interface Measured {
  ms: number;
  peakMb: number;
}

function rowsOf(name: string, run: () => Measured): Row[] {
  const runs = Array.from({ length: ROUNDS }, run);
  const time = runs.map(({ ms }) => ms);
  const memory = runs.map(({ peakMb }) => peakMb);
  const allowedMs = (GB / MB / LEAST_MB_A_SECOND) * 1000;
  return [
    compareMedians(time, [allowedMs], { name, against: `${LEAST_MB_A_SECOND} MB/s`, target: 1 }),
    compareMedians(memory, [MOST_MB], {
      name: `peak memory, ${name}`,
      against: `${MOST_MB} MB`,
      unit: 'MB',
      target: 1,
    }),
  ];
}

function measured(
  scene: HookScene,
  { home, project }: { home: string; project: string },
  args: string[],
): Measured {
  const preloaded = join(scene.root, 'report-peak.cjs');
  const peakFile = join(scene.root, 'peak');
  writeFileSync(preloaded, REPORT_PEAK);
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    UNTILDONE_HOME: join(home, 'home'),
    BENCH_PEAK_FILE: peakFile,
  };
  const before = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--require', preloaded, CLI, 'reflect', ...args, '--json'],
    {
      cwd: project,
      env,
      maxBuffer: 64 * MB,
      encoding: 'utf8',
    },
  );
  const ms = performance.now() - before;
  if (status !== 0) throw new Error(`untildone reflect ended with ${status}: ${stderr}`);
  return { ms, peakMb: Number(readFileSync(peakFile, 'utf8')) / 1024 };
}
