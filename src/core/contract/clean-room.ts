/** What a contract says about clean rooms. */
import type { Contract, GateSpec, SetupRule } from './contract.ts';

/** Whether the commands of a gate run in a clean room. */
export function runsInCleanRoom(contract: Contract, spec: GateSpec): boolean {
  return (spec.room ?? contract.room?.choice) === 'clean';
}

/** What prepares a clean room: what the contract says of rooms, else what it says of worktrees. */
export function roomSetup({ room, run }: Contract): Required<SetupRule> | undefined {
  const setup = room?.setup ?? run?.setup;
  return setup && { run: setup.run, inputs: setup.inputs ?? DEPENDENCY_FILES };
}

/** The files by which package managers are told what to install. */
export const DEPENDENCY_FILES: string[] = [
  ...['package.json', 'package-lock.json', 'npm-shrinkwrap.json', '.npmrc'],
  ...['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'yarn.lock', '.yarnrc', '.yarnrc.yml', '.yarn/**'],
  ...['bun.lock', 'bun.lockb', 'bunfig.toml'],
  ...['pyproject.toml', 'uv.lock', 'poetry.lock', 'Pipfile', 'Pipfile.lock', 'requirements*.txt'],
  ...['requirements/**', 'setup.py', 'setup.cfg', '.python-version'],
  ...['go.mod', 'go.sum', 'go.work', 'go.work.sum'],
  ...['Cargo.toml', 'Cargo.lock', 'rust-toolchain', 'rust-toolchain.toml', '.cargo/config.toml'],
  ...['pom.xml', '.mvn/**', 'mvnw', 'build.gradle', 'build.gradle.kts', 'settings.gradle'],
  ...['settings.gradle.kts', 'gradle.properties', 'gradle/**', 'gradlew'],
  ...['Gemfile', 'Gemfile.lock', '.ruby-version', 'composer.json', 'composer.lock'],
];
