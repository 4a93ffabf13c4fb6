/** Publishes again and again in a process of its own, which a test kills. Says what was published. */
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fenced } from '../../../src/engine/core/fleet/errors.ts';
import { openRemoteRuns } from '../../../src/fleet/remote/open-remote-runs.ts';

const [url = '', folder = '', run = '', commit = ''] = process.argv.slice(2);
const tree = join(folder, `tree-${process.pid}`);

async function work(): Promise<void> {
  const remoteRuns = openRemoteRuns(url, { caches: join(folder, 'caches'), env: process.env });
  await remoteRuns.checkout(commit, tree);
  for (;;) {
    const read = await remoteRuns.read(run);
    if (!read) throw new Error(`there is no run ${run}`);
    if (read.refs.work) await remoteRuns.restore(tree, read.refs.work, 'untildone/x');
    const step = Number(read.files.steps?.toString() ?? 0) + 1;
    appendFileSync(join(tree, 'steps.txt'), `${step}\n`);
    const { commit: work } = await remoteRuns.snapshot(tree);
    const files = { steps: Buffer.from(String(step)) };
    const message = `step ${step}`;
    try {
      await remoteRuns.publish({ run, expected: read.refs, files, work, message }, tree);
      process.stdout.write(`${step}\n`);
    } catch (error) {
      if (!(error instanceof Fenced)) throw error;
    }
  }
}

work().catch((error: Error) => {
  process.stderr.write(`${error.stack}\n`);
  rmSync(tree, { recursive: true, force: true });
  process.exitCode = 1;
});
