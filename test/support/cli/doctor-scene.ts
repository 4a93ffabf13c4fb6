import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Program, runCli } from '../in-process.ts';

export interface DoctorReport {
  healthy: boolean;
  exit_code: number;
  ok: string[];
  findings: {
    id: string;
    severity: 'error' | 'warning' | 'note';
    what: string;
    where: string | null;
    todo: string;
    fixable: boolean;
  }[];
  mended: { id: string; changed: string | null; problem: string | null }[];
  proof: { outcome: string } | null;
}

/** A project in which everything is in order: a trusted contract, installed hooks, git, and a Claude Code that says its version. */
export interface DoctorScene {
  folder: string;
  project: string;
  home: string;
  settings: string;
  program: string;
  env: Record<string, string>;
  run(args: string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  doctor(...flags: string[]): Promise<DoctorReport>;
  /** Changes the settings file of the project, as JSON. */
  edit(change: (settings: Settings) => void): void;
  trust(): Promise<void>;
  client(version: string): void;
}

interface Hook {
  type: string;
  command: string;
  timeout?: number;
  [key: string]: unknown;
}

export interface Settings {
  hooks: Record<string, { matcher?: string; hooks: Hook[] }[]>;
  [key: string]: unknown;
}

/** Made once for a file; `again` puts it back as it was made. */
export interface MadeScene {
  again(): DoctorScene;
  remove(): void;
}

export async function makeHealthyScene(loaded: Program): Promise<MadeScene> {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-doctor-')));
  const [folder, kept] = [join(made, 'now'), join(made, 'kept')];
  mkdirSync(folder);
  await prepare(sceneAt(folder, loaded));
  cpSync(folder, kept, { recursive: true, verbatimSymlinks: true });
  return {
    again: () => {
      rmSync(folder, { recursive: true, force: true });
      cpSync(kept, folder, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
      return sceneAt(folder, loaded);
    },
    remove: () => rmSync(made, { recursive: true, force: true }),
  };
}

async function prepare(scene: DoctorScene): Promise<void> {
  const { folder, project, env } = scene;
  for (const path of [project, join(folder, 'bin')]) mkdirSync(path);
  writeFileSync(scene.program, '// the program');
  link('git', join(folder, 'bin'));
  scene.client('2.1.325');
  execFileSync('git', ['init', '-q'], { cwd: project, env: { ...env, PATH: process.env.PATH ?? '' } });
  writeFileSync(join(project, 'untildone.yaml'), 'gates: { tests: { run: "true" } }\n');
  await scene.run(['install']);
  await scene.trust();
}

function sceneAt(folder: string, loaded: Program): DoctorScene {
  const at = (...names: string[]) => join(folder, ...names);
  const [project, home] = [at("the project's"), at('.untildone')];
  const scene: DoctorScene = {
    folder,
    project,
    home,
    program: at('untildone.cjs'),
    settings: join(project, '.claude/settings.json'),
    env: { PATH: at('bin'), HOME: folder, TZ: 'UTC', GIT_CONFIG_NOSYSTEM: '1' },
    run: async (args) => {
      const command = { line: '', env: scene.env, cwd: project, input: '', limitMs: 0 };
      const { exitCode, stdout, stderr } = await runCli(loaded, args, command, scene.program);
      return { code: exitCode ?? -1, stdout, stderr };
    },
    doctor: async (...flags) => {
      const { stdout } = await scene.run(['doctor', '--json', '--no-proof', ...flags]);
      return JSON.parse(stdout) as DoctorReport;
    },
    edit: (change) => {
      const settings = JSON.parse(readFileSync(scene.settings, 'utf8')) as Settings;
      change(settings);
      writeFileSync(scene.settings, JSON.stringify(settings, null, 2));
    },
    trust: async () => {
      const shown = (await scene.run(['trust', '--show'])).stdout;
      const fingerprint = /^Fingerprint: (\w+)$/m.exec(shown)?.[1] ?? '';
      await scene.run(['trust', '--fingerprint', fingerprint]);
    },
    client: (version) => {
      const path = at('bin', 'claude');
      writeFileSync(path, `#!/bin/sh\necho "${version} (Claude Code)"\n`);
      chmodSync(path, 0o755);
    },
  };
  return scene;
}

/** Puts a program of this machine on the short PATH of the scene. */
function link(name: string, folder: string): void {
  const real = (process.env.PATH ?? '')
    .split(delimiter)
    .map((each) => join(each, name))
    .find((path) => existsSync(path));
  if (real !== undefined) symlinkSync(real, join(folder, name));
}
