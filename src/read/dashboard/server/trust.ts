/** Contracts that nobody trusts on this machine: of loops, and of projects in which sessions began lately. */
import { lstatSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readContract } from '../../../engine/contract/read.ts';
import { CONTRACT_FILE } from '../../../engine/core/contract/contract.ts';
import { quoteForShell } from '../../../engine/core/shell/words.ts';
import { namesIn } from '../../../engine/files/whole-file.ts';
import { projectFolder, realPath } from '../../../engine/home/layout.ts';
import { readStartRecord } from '../../../engine/home/records/session-records.ts';
import { isTrusted, trustedContract } from '../../../engine/home/trust.ts';
import { needsApproval } from '../../../engine/hook/start/start-loop.ts';
import { asTrusted, freeze } from '../../../engine/judging/freeze-contract.ts';
import { contractFileDigest } from '../../../engine/project/facts/command-parts.ts';
import type { Need, ProjectRow } from '../view/overview-types.ts';
import type { DashboardPorts } from './world.ts';

/** Sessions that began earlier do not count. */
const LATELY_MS = 7 * 86_400_000;
const MOST_SESSIONS = 2_000;
const MOST_PROJECTS = 50;
const EVERY_MS = 10_000;

interface Seen {
  /** Identifies what the answer was found from. */
  mark: string;
  need?: Need;
}

export class TrustLook {
  private readonly world: DashboardPorts;
  private readonly known = new Map<string, { mark: string; trusted: boolean }>();
  private readonly projects = new Map<string, Seen>();
  private sessionsMark = '';
  private lookedAt = 0;
  private busy = false;

  constructor(world: DashboardPorts) {
    this.world = world;
  }

  /** Asked for every loop again and again, so the answer is kept until the file of the project changes. */
  isTrusted(project: string, fingerprint: string): boolean {
    const { home } = this.world;
    const folder = projectFolder(home, project);
    const mark = markOf(join(folder, 'trust.json'));
    const key = `${folder} ${fingerprint}`;
    const before = this.known.get(key);
    if (before?.mark === mark) return before.trusted;
    const trusted = isTrusted(home, project, fingerprint);
    if (this.known.size > 10_000) this.known.clear();
    this.known.set(key, { mark, trusted });
    return trusted;
  }

  /** Looks at the projects, now and then. `changed` is told when a need came or went. */
  look(changed: () => void): void {
    const now = this.world.clock.now();
    if (this.busy || now - this.lookedAt < EVERY_MS) return;
    this.busy = true;
    this.lookedAt = now;
    const before = JSON.stringify(this.needs());
    void this.lookAtProjects(now)
      .catch(() => {})
      .then(() => {
        this.busy = false;
        if (JSON.stringify(this.needs()) !== before) changed();
      });
  }

  needs(): Need[] {
    return [...this.projects.values()].flatMap(({ need }) => need ?? []);
  }

  /** Projects of needs, as rows of the overview. */
  rows(): ProjectRow[] {
    return [...this.projects].flatMap(([path, { need }]) =>
      need ? [{ id: need.project, name: basename(path) || path, path, loops: 0, unended: 0 }] : [],
    );
  }

  private async lookAtProjects(now: number): Promise<void> {
    this.takeSessions(now);
    for (const [path, seen] of this.projects) {
      const mark = this.markOfProject(path);
      if (seen.mark === mark) continue;
      this.projects.set(path, { mark, need: await this.needOf(path).catch(() => undefined) });
    }
  }

  /** The projects of the newest sessions. */
  private takeSessions(now: number): void {
    const { home, only } = this.world;
    const mark = markOf(home.sessions);
    if (mark === this.sessionsMark) return;
    this.sessionsMark = mark;
    const began = namesIn(home.sessions)
      .filter((name) => name.endsWith('.at'))
      .slice(-MOST_SESSIONS)
      .map((name) => ({
        name,
        at: lstatSync(join(home.sessions, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
      }))
      .filter(({ at }) => now - at < LATELY_MS)
      .sort((a, b) => b.at - a.at);
    const found = new Set<string>();
    for (const { name } of began) {
      const project = readStartRecord(home, name.slice(0, -'.at'.length))?.project;
      if (project !== undefined && project !== '') found.add(realPath(project));
      if (found.size >= MOST_PROJECTS) break;
    }
    for (const path of [...this.projects.keys()]) if (!found.has(path)) this.projects.delete(path);
    for (const path of found)
      if ((only.length === 0 || only.includes(path)) && !this.projects.has(path))
        this.projects.set(path, { mark: '' });
  }

  private markOfProject(path: string): string {
    const folder = projectFolder(this.world.home, path);
    return [join(path, CONTRACT_FILE), join(folder, 'trust.json'), join(folder, 'standing.json')]
      .map(markOf)
      .join(' ');
  }

  private async needOf(path: string): Promise<Need | undefined> {
    const { home } = this.world;
    const digest = contractFileDigest(path);
    if (digest === undefined) return undefined;
    const before = trustedContract(home, path);
    const isBefore = before !== undefined && isTrusted(home, path, before.frozen.fingerprint);
    if (isBefore && before.frozen.contractFile === digest) return undefined;
    const file = readContract(path);
    if (!file) return undefined;
    const judges = await this.world.open().judges(file.contract);
    const trusted = (project: string, print: string) => isTrusted(home, project, print);
    const { frozen, commands } = asTrusted(await freeze(file.contract, path, judges), trusted);
    // What runs nothing needs no trust.
    if (Object.keys(commands).length === 0 && !needsApproval(file.contract)) return undefined;
    return isTrusted(home, path, frozen.fingerprint) ? undefined : this.asNeed(path, isBefore);
  }

  private asNeed(path: string, isBefore: boolean): Need {
    const project = basename(projectFolder(this.world.home, path));
    return {
      id: `${project}/trust`,
      kind: 'trust',
      project,
      title: isBefore
        ? 'the contract of this project has changed since you trusted it'
        : 'nobody trusts the contract of this project on this machine',
      text: 'A loop that begins there waits for you at its first Stop: its gates run nothing before you trust them.',
      since: Math.round(
        statSync(join(path, CONTRACT_FILE), { throwIfNoEntry: false })?.mtimeMs ?? this.lookedAt,
      ),
      answers: [],
      command: `cd ${quoteForShell(path)} && untildone trust`,
    };
  }
}

function markOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.ino} ${stat.size} ${stat.ctimeMs}` : 'none';
}
