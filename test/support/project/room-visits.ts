/** Opens and leaves rooms of two trees in turn until it is killed, with commands that spoil files. */
import { openRoom } from '../../../src/engine/project/room/room.ts';

const [folder = '', shadowDir = '', ...trees] = process.argv.slice(2);
for (let n = 0; ; n++) {
  const room = await openRoom(
    { tree: trees[n % trees.length] ?? '' },
    { folder, shadowDir, key: 'a key', environment: ({ home }) => ({ PATH: '/usr/bin:/bin', HOME: home }) },
  );
  const command =
    'echo bad >main.txt; echo bad >>src/deep/one.js; mkdir -p src/more; echo bad >src/more/planted';
  await room.shell.run({ command, cwd: room.dir, timeoutMs: 60_000 });
  await room.dispose();
  process.stdout.write('visited\n');
}
