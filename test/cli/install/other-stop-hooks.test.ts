import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  output,
  project,
  put,
  root,
  runInstall,
  shared,
  useInstallScene,
} from '../../support/cli/install-scene.ts';

useInstallScene();

const local = () => join(project(), '.claude', 'settings.local.json');
const ofUser = () => join(root(), 'user', '.claude', 'settings.json');
const stopHook = (command: string) =>
  JSON.stringify({ hooks: { Stop: [{ matcher: '', hooks: [{ type: 'command', command }] }] } });
const plugin = (isOn: boolean) =>
  JSON.stringify({ enabledPlugins: { 'ralph-loop@claude-plugins-official': isOn, 'other@x': true } });

describe('an installation names what would count every stop beside it', () => {
  test.each([
    ['a feature list', 'python .claude/hooks/ralph_loop_controller.py'],
    ['a feature list, by its other name', 'python .claude/hooks/ralph-loop-controller.py'],
    ['verified-done', '"$CLAUDE_PROJECT_DIR"/.claude/hooks/ralph-stop-quality-gate.sh'],
    ['lock mode', '$CLAUDE_PROJECT_DIR/.claude/tools/amplihack/hooks/stop.py'],
    ['ralph-loop', '~/.claude/plugins/marketplaces/m/plugins/ralph-loop/hooks/stop-hook.sh'],
  ])('the old hook of %s', async (_, command) => {
    put(shared(), stopHook(command));
    await runInstall();
    expect(output()).toContain(`Warning: ${shared()} still runs ${command}. Remove that`);
  });

  test('in whichever settings it stands', async () => {
    put(ofUser(), stopHook('bash ralph_loop_controller.sh'));
    await runInstall();
    expect(output()).toContain(`Warning: ${ofUser()} still runs bash ralph_loop_controller.sh`);
  });

  test('the plugin, unless it is switched off for this project', async () => {
    put(ofUser(), plugin(true));
    await runInstall();
    expect(output()).toContain(`${ofUser()} still switches on the plugin ralph-loop@claude-plugins-official`);
    put(local(), plugin(false));
    await runInstall();
    expect(output()).not.toContain('Warning');
  });

  test('and no other hook, nor a file that it cannot read', async () => {
    put(shared(), stopHook('npm test && ./my-ralph-loop-controller.pyc stop.py'));
    put(local(), '{ "hooks": ');
    await runInstall();
    expect(output()).not.toContain('Warning');
  });
});

describe('what comes next', () => {
  test('nothing is held until a loop is started, where there is none', async () => {
    await runInstall();
    expect(output()).toContain('Until then no session is held');
  });
  test('the state that is here may hold somebody at once', async () => {
    await runInstall({ hasForeignState: true });
    expect(output()).toContain('Next: go on as before.');
    expect(output()).not.toContain('nothing is held');
  });
});
