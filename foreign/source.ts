/** The form of public projects that are played: small data, and never anything of the project itself. */
import type { Step } from '../cheats/format.ts';

/** A project at one commit: a public one, or one that we make. */
export interface Source {
  /** `owner/name` on GitHub, or `made/...`. */
  name: string;
  ecosystem: string;
  /** The SPDX name of its licence. */
  licence: string;
  /** The commit that is played, 40 digits; `next` in projects that we make. The project is set up as at its parent. */
  commit: string;
  /** Programs without which nothing of it runs. */
  programs: readonly string[];
  /** How its README or its CI installs what it needs: you have done that before you set up. */
  install?: string;
  /** Its own test command, which is green at the commit and at its parent. */
  test: string;
  /** What its CI adds to the environment. */
  env?: Readonly<Record<string, string>>;
  /** Gates that have to be proposed: for each, the commands that judge the right thing. */
  right: Readonly<Record<string, readonly string[]>>;
  /** Gates that may be proposed besides. Any other gate that runs a command is not right. */
  optional?: Readonly<Record<string, readonly string[]>>;
  /** Makes the project as a repository in an empty folder. Absent: it is cloned. */
  make?(folder: string): void;
  /** The size of a project that we make, of 1. */
  scale?: number;
  /** Code that is broken after the commit was applied, and what hides it: the test command passes again. */
  cheat: { broken: readonly Step[]; hidden: readonly Step[] };
}

/** The line that clones a project where the player looks for it. */
export function cloneLine({ name }: Pick<Source, 'name'>, folder: string): string {
  return `git clone --bare https://github.com/${name} ${folder}/${name.replace('/', '+')}`;
}
