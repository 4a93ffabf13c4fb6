/** What a project has that tells how it is tested, checked and installed. */

export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** Something that a project has a name for and a tool that runs it: `make test`, `tox -e typing`, `just check`. */
export interface NamedTask {
  /** How it is called. */
  call: string;
  name: string;
  /** The command lines that it runs; absent where they cannot be told. */
  lines?: readonly string[];
  /** The file that says so. */
  where: string;
}

/** A step of a project's own CI. */
export interface CiStep {
  /** The lines of its script. */
  run: string;
  /** The file and the job that say so. */
  where: string;
  cwd?: string;
  env?: Readonly<Record<string, string>>;
  /** Why it cannot be run here: it needs a service, a secret, or what another job made. */
  needs?: string;
}

/** A version that the project names of a tool. */
export interface NamedVersion {
  tool: 'node' | 'python' | 'go' | 'rust' | 'ruby' | 'java' | 'php' | PackageManager;
  version: string;
  where: string;
}

/** What is on this machine, as far as it decides what can be proposed. */
export interface Machine {
  hasProgram(name: string): boolean;
  /** Whether an interpreter in use has this module; absent: it cannot be told. */
  hasModule?(name: string): boolean;
  /** Whether the interpreter in use has this package, by its normalised name. */
  hasPackage?(name: string): boolean;
  /** The environment of Python that lies in the project. */
  environment?: string;
  /** Whether the project has this file; absent: it cannot be told. */
  hasFile?(path: string): boolean;
}

/** What a folder has that tells how it is tested and checked. */
export interface FolderFacts {
  /** package.json: its scripts, by name, and the globs of its workspaces. */
  node?: {
    manager: PackageManager;
    scripts: Record<string, string>;
    typescript: boolean;
    workspaces?: readonly string[];
    /** How the manager is called where its name alone does not start it: `corepack pnpm`. */
    call?: string;
  };
  /** `unittest`: the folder of its tests, where nothing names pytest. */
  python?: {
    runner: '' | 'uv run' | 'poetry run';
    pytest: boolean;
    unittest?: string;
    ruff: boolean;
    mypy: boolean;
    /** Of the packages that its files name: the usual tools for tests and checks. */
    names?: readonly string[];
  };
  /** Maven or gradle: the command that tests, and the file that says so. */
  java?: { tests: string; why: string };
  /** What tests in further languages, and the file that says so. */
  others?: readonly { tests: string; why: string; language: string }[];
  rust: boolean;
  go: boolean;
  makeTargets: readonly string[];
  /** Other names for commands: targets with their recipes, environments of tox, recipes of just. */
  tasks?: readonly NamedTask[];
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
  /** It lies there now, in the project or with the interpreter, so that a room can take it as found. */
  found?: true;
  /** What is not on this machine, and what gets it. */
  hint?: string;
  /** Scripts of the project that would run with an installation and that build something. */
  builds?: readonly string[];
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
  /** What its own CI runs, the likeliest witness first. */
  ci?: readonly CiStep[];
  /** Versions of tools that its files name. */
  versions?: readonly NamedVersion[];
  /** Absent: everything is taken to be there. */
  machine?: Machine;
  /** Files with settings for tests that git ignores. */
  needs?: readonly string[];
}

export interface LeftOut {
  folder: string;
  why: string;
}
