import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cleanEnvironment, prepareClientHome } from '../../../src/engine/client/sdk/find-client.ts';
import { parseReceipt, receiptProblems } from '../../../src/engine/home/receipts.ts';
import { DrivenScene, type PlayedWorker } from '../../support/fleet/driven.ts';
import { openScene } from '../../support/live/scene.ts';
import { bash } from '../../support/live/untildone.ts';

const PIECES = 4;
const PROJECT = {
  'untildone.yaml': 'gates:\n  pieces: { run: sh count.sh }\n',
  'count.sh': `for i in $(seq ${PIECES}); do [ -f made/$i ] || { echo "piece $i is missing"; exit 1; }; done\n`,
  'next.sh': `mkdir -p made; for i in $(seq ${PIECES}); do [ -f made/$i ] || { touch made/$i; echo "made piece $i"; exit; }; done\n`,
};
const SCRIPT = {
  rules: [
    { when: { last: 'made piece' }, turns: [{ text: 'One more piece is there.' }] },
    { when: { any: '.' }, turns: [{ tools: [bash('sh next.sh')] }] },
  ],
};

test('a run of the real Claude Code that is killed after two of four iterations goes on with another home', async () => {
  const live = await openScene({ scripts: { maker: SCRIPT } });
  const scene = new DrivenScene(PROJECT);
  onTestFinished(async () => {
    await scene.close();
    await live.close();
  });
  const machine = (name: string): PlayedWorker => {
    const home = join(scene.root, `home of ${name}`);
    prepareClientHome(home);
    return { name, env: cleanEnvironment({ home, baseUrl: live.simulator.urlFor('maker') }) };
  };
  const client = { model: 'claude-sonnet-4-5', allow: ['Bash'] };
  const spec = await scene.submit({}, { task: 'Make all pieces', client });
  const first = scene.take(spec, machine('w1'));
  await first.until('two iterations', () => first.published.length === 2);
  first.kill();
  const second = scene.take(spec, machine('w2'));
  expect(await second.over, second.said).toMatchObject({
    kind: 'ended',
    result: { status: 'verified_done', iterations: PIECES },
  });
  expect(second.published).toEqual([3, 4]);
  // Both are of one session, whose bill never came.
  const claimed = second.messages.find((message) => message.type === 'claimed');
  expect(claimed?.spent?.map(({ iteration, usd }) => [iteration, usd > 0])).toEqual([
    [1, true],
    [2, true],
  ]);
  const { files = {}, refs } = (await scene.remoteRuns.read(spec.run)) ?? {};
  const signed = parseReceipt(files['receipt.json']?.toString('utf8') ?? '', spec.run);
  expect(signed && receiptProblems(signed)).toEqual([]);
  expect(scene.remote.git('ls-tree', '--name-only', `${refs?.work}:made`)).toBe('1\n2\n3\n4');
});
