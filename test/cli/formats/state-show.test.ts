import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stateComplete } from '../../../src/cli/formats/state.ts';
import { stateShow } from '../../../src/cli/formats/state-here.ts';
import { content, file, init, lines, put, set, useStateFiles, world } from '../../support/cli/state-files.ts';

useStateFiles();

describe('show', () => {
  const show = (json = false) => {
    lines.length = 0;
    stateShow('s1', { json }, world());
    return lines.join('\n');
  };

  test('everything in words', () => {
    init({ file: 'orchestrator', task: 'implement auth' });
    init({ task: 'fix types' });
    set(
      'quality-gate',
      'last_result=failed',
      'stages.security.status=failed',
      'stages.security.details=a key',
    );
    set('tasks/1', 'subject=more');
    const said = show();
    expect(said).toContain(`Session s1: ${dirname(file('loop'))}`);
    expect(said).toContain(
      "orchestrator.json: implement auth\n  phase 'planning', verified_done false\n  memory_search: not met (false)",
    );
    expect(said).toContain('loop.json: fix types\n  iteration 1 of 25, verified_done false');
    expect(said).toContain('quality-gate.json: failed\n  security: failed - a key');
    expect(said).toContain('tasks: 1 of 1 open\n  [pending] 1: more');
    expect(said).toContain(
      "Holds the session: Orchestrator phase 'planning' not complete. Loop iteration 1 of 25",
    );
  });

  test('as JSON, with what is in the files as it is', () => {
    init({ file: 'orchestrator' });
    set('tasks/1', 'subject=more', 'mine=1');
    const said = JSON.parse(show(true)) as Record<string, unknown>;
    expect(said).toMatchObject({
      session: 's1',
      orchestrator: content('orchestrator'),
      loop: null,
      quality_gate: null,
      tasks: [{ file: '1.json', mine: 1 }],
      problems: [],
    });
    expect(said.holds).toContainEqual({ name: 'tasks/*.json', summary: '1 pending/in-progress tasks.' });
  });

  test('nothing, finished and broken', () => {
    expect(show()).toBe(`Session s1 has no state in ${dirname(file('loop'))}`);
    init();
    stateComplete('s1', 'loop', world());
    expect(show()).toContain('These files do not hold the session.');
    put('loop', 'x');
    expect(show()).toMatch(/is not JSON .* It holds no session\.$/);
    expect(JSON.parse(show(true))).toMatchObject({
      loop: null,
      problems: [expect.stringContaining('is not JSON')],
    });
  });
});
