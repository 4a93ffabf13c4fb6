import { execFileSync } from 'node:child_process';
import { measureActive } from './active.ts';
import { measureAudit } from './audit.ts';
import { measureBundles, measureProgram } from './bundles.ts';
import { measureCleanRoom } from './clean-room.ts';
import { measureDashboard } from './dashboard.ts';
import { measureDifferential } from './differential.ts';
import { measureFailOver } from './fleet/fail-over.ts';
import { measureGrowth } from './fleet/growth.ts';
import { measureFleetLoad } from './fleet/load.ts';
import { measureFleetStart } from './fleet/start.ts';
import { measureStoreLimits } from './fleet/store-limits.ts';
import { measureFleetThroughput } from './fleet/throughput.ts';
import { type HookScene, openHookScene } from './hook-scene.ts';
import { measureInactive } from './inactive.ts';
import { measureIterationGap } from './iteration-gap.ts';
import { measureJournalLengths } from './journal-length.ts';
import { weighPage } from './page-weight.ts';
import { measureQueueing } from './queued-session.ts';
import { measureRalphLoop } from './ralph-loop.ts';
import { measureReflect } from './reflect.ts';
import { type Row, renderTable } from './report.ts';
import { measureRunLength } from './runs/length.ts';
import { measureRunOverhead } from './runs/overhead.ts';
import { measureSessionGap } from './runs/session-gap.ts';
import { measureTranscriptSizes } from './transcript-size.ts';
import { measureTrees } from './tree-hash.ts';
import { measureVerdictReuse } from './verdict-reuse.ts';
import { measureWalls } from './walls.ts';

/** The measurements, each in a scene of its own: what one leaves behind does not disturb the next. */
const MEASUREMENTS: [string, (scene: HookScene) => Row[] | Promise<Row[]>][] = [
  ['the hook when nothing is active', measureInactive],
  ['the hook: an active Stop', measureActive],
  ['the hook: what events load', measureBundles],
  ['commands that are typed often', measureProgram],
  ['a session that is queued to be looked back on', measureQueueing],
  ['an active Stop of ralph-loop', measureRalphLoop],
  ['transcripts of 1 KB to 1 GB, time and memory', measureTranscriptSizes],
  ['an audit of 1 GB of transcripts', measureAudit],
  ['looking back on 1 GB of transcripts', measureReflect],
  ['journals of 10 and 100,000 lines', measureJournalLengths],
  ['a verdict that is used again', measureVerdictReuse],
  ['a clean room', measureCleanRoom],
  ['differential', measureDifferential],
  ['walls around a command', measureWalls],
  ['trees of 50,000 files', () => measureTrees()],
  ['the real Claude Code', measureIterationGap],
  ['the dashboard', measureDashboard],
  ['the weight of its page', () => weighPage()],
  ['a run: from session to session', () => measureSessionGap()],
  ['a run: an iteration', () => measureRunOverhead()],
  ['a run: 1,000 iterations', () => measureRunLength()],
  ['a fleet: from submit to start', () => measureFleetStart()],
  ['a fleet: runs a minute', () => measureFleetThroughput()],
  ['a fleet: fail-over', () => measureFailOver()],
  ['a fleet: growth from 1 to 8 workers', () => measureGrowth()],
  ['a fleet: what a worker costs', () => measureFleetLoad()],
  ['a fleet: limits of the store', () => measureStoreLimits()],
];
/** `npm run bench -- "a run"`: only those whose name holds these words. `--nodes`: what Node counts for on newer ones, too. */
const asked = process.argv.slice(2);
const [words = ''] = asked.filter((word) => word !== '--nodes');
const newer = asked.includes('--nodes') ? newerNodes() : [];
const OWN = { version: process.versions.node, path: process.execPath };

const rows: Row[] = [];
const problems: string[] = [];
for (const [name, measure] of MEASUREMENTS.filter(([name]) => name.includes(words))) {
  const nodes = name.startsWith('the hook: ') ? [OWN, ...newer] : [OWN];
  for (const { version, path } of nodes) {
    process.stderr.write(`measuring ${name}, Node ${version} ...\n`);
    const scene = openHookScene(path);
    try {
      const on = nodes.length > 1 ? `Node ${version.split('.')[0]}: ` : '';
      rows.push(...(await measure(scene)).map((row) => ({ ...row, name: on + row.name })));
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      problems.push(`could not measure ${name} on Node ${version}: ${said}`);
    } finally {
      scene.close();
    }
  }
}

process.stdout.write(`\n${renderTable(rows)}\n\n`);
process.stdout.write(
  'Ratios are medians of the ratios within shuffled rounds; docs/reference/performance.md says how.\n',
);
for (const problem of problems) process.stdout.write(`${problem}\n`);
// A missed target is a finding, not a failure of the bench.
process.exitCode = problems.length > 0 ? 1 : 0;

/** Those of `scripts/nodes.json`, fetched where they are missing. */
function newerNodes(): { version: string; path: string }[] {
  const said = execFileSync(process.execPath, ['scripts/nodes.mjs'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return [...said.matchAll(/^(\S+) (.+)$/gm)].map(([, version = '', path = '']) => ({ version, path }));
}
