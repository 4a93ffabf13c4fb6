/**
 * The seams between us and what we do not write: Claude Code, the Agent SDK, a browser, the processes of a fleet. `npm test`
 * plays one file for each; all others of their folders are played by `npm run test:all`.
 */
export const SEAMS = {
  hold: 'live/contract',
  'what an agent tries': 'live/cheating',
  'promise, background work, a session that is resumed': 'live/loop',
  'a hook that is killed': 'live/killed-hook',
  'tool rule': 'live/tool-rules',
  subagent: 'live/subagents',
  'task and prompt': 'live/tasks-and-prompts',
  compaction: 'live/compaction',
  walls: 'live/walls',
  plugin: 'live/plugin/every-way',
  setup: 'live/setup/setup',
  'run, and one that is resumed': 'live/run/run',
  library: 'live/library',
  'the format ralph-loop': 'live/formats/ralph-loop',
  'the format feature-list': 'live/formats/feature-list',
  'the format verified-done': 'live/formats/verified-done',
  'the format harness': 'live/formats/harness',
  'the format lock': 'live/formats/lock',
  'a page in a browser': 'browser/insights',
  'a fleet of processes': 'fleet/whole/remote-away',
};

export const SEAM_FILES: readonly string[] = Object.values(SEAMS).map((file) => `test/${file}.test.ts`);
