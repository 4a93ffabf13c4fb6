/** What a project has that tells how it is tested, checked and installed. */

export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** What a folder has that tells how it is tested and checked. */
export interface FolderFacts {
  /** package.json: its scripts, by name, and the globs of its workspaces. */
  node?: {
    manager: PackageManager;
    scripts: Record<string, string>;
    typescript: boolean;
    workspaces?: readonly string[];
  };
  /** `unittest`: the folder of its tests, where nothing names pytest. */
  python?: {
    runner: '' | 'uv run' | 'poetry run';
    pytest: boolean;
    unittest?: string;
    ruff: boolean;
    mypy: boolean;
  };
  /** Maven or gradle: the command that tests, and the file that says so. */
  java?: { tests: string; why: string };
  rust: boolean;
  go: boolean;
  makeTargets: readonly string[];
  /** By language; one without dependencies is absent. */
  dependencies?: Readonly<Record<string, Dependencies>>;
}

/** What a language depends on in a folder. */
export interface Dependencies {
  /** What installs exactly that; absent: it cannot be told. */
  run?: string;
  /** The files that it reads. */
  inputs: readonly string[];
  /** What is missing to tell it. */
  missing?: string;
  /** The interpreter that finds what was installed. */
  python?: string;
}

export interface PackageFacts extends FolderFacts {
  /** Relative to the project. */
  folder: string;
}

export interface ProjectFacts extends FolderFacts {
  /** Folders below the project with a manifest of their own, those nearer to the project first. */
  packages?: readonly PackageFacts[];
  /** Folders that were not looked into, and why. */
  leftOut?: readonly LeftOut[];
  /** A Markdown file with `- [ ]` items. */
  plan?: string;
  featureList?: string;
  git: boolean;
  githubWorkflows: boolean;
  /** Files with settings for tests that git ignores. */
  needs?: readonly string[];
}

export interface LeftOut {
  folder: string;
  why: string;
}
