import { writeFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const TESTS = resolve(import.meta.dirname, '..');

/**
 * Ends a run with its counts alone on a line: `12 passed, 0 failed, 0 skipped`. Where `scripts/tests.mjs` prints that line,
 * after its last part, counts and times by folder are written to a file for it.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    const folders: Record<string, { files: number; ms: number }> = {};
    for (const module of modules) {
      if (module.errors().length > 0) counts.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') counts[state]++;
      }
      const name = roomOf(relative(TESTS, module.moduleId).split(sep));
      const { files, ms } = folders[name] ?? { files: 0, ms: 0 };
      folders[name] = { files: files + 1, ms: ms + timeOf(module) };
    }
    const file = process.env.UNTILDONE_TESTS_SUMMARY;
    const line = `\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`;
    if (file !== undefined) writeFileSync(file, JSON.stringify({ counts, folders }));
    // The default reporter writes through its own logger; wait for it so that this line is the last.
    else setTimeout(() => process.stdout.write(line));
  }
}

/** The folder of a room's tests: rooms of a part have one each below it. */
function roomOf([part = '', room = '']: string[]): string {
  return part === 'engine' || part === 'read' ? `${part}/${room}` : part;
}

function timeOf(module: TestModule): number {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return collectDuration + setupDuration + duration;
}
