import { expect, test } from 'vitest';
import { playRecording } from '../../support/hook/play-recording.ts';
import { recordings, renewal } from '../../support/live/recording.ts';

// Those of runs: test/engine/run/driver/recordings.test.ts. `npm run test:all` plays the real client again and compares what it sends with these.
test.each([...recordings()].filter(([name]) => !name.startsWith('run/')))(
  '%s is answered as the real client was',
  async (name, recording) => {
    const { events, loops } = await playRecording(recording);
    const known = events.filter(({ recorded }) => recorded !== 'unknown');
    const why = `other answers than in ${name}. If they are right: ${renewal(recording.test)}`;
    expect(
      known.map(({ event, answer }) => `${event}: ${answer}`),
      why,
    ).toEqual(known.map(({ event, recorded }) => `${event}: ${recorded}`));
    expect(loops, why).toEqual(recording.loops);
  },
);
