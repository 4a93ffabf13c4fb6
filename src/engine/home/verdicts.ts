import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Verdict } from '../core/loop/verdict.ts';
import { readSmall, writeWholeSoon } from '../files/whole-file.ts';
import type { VerdictCache } from '../ports/ports.ts';
import { sealedJson, unsealedJson } from './layout.ts';

const PURPOSE = 'verdicts';

interface Kept {
  inputs: string;
  verdict: Verdict;
}

/**
 * Verdicts in one file, sealed with the key of the home. A file that another program wrote, or that cannot be read, counts
 * as empty: the gates are judged again.
 */
export function verdictCache(file: string, key: string): VerdictCache {
  let kept: Record<string, Kept> | undefined;
  const load = () => {
    kept ??= readKept(file, key);
    return kept;
  };
  return {
    find(gate, inputs) {
      const found = load()[gate];
      return found?.inputs === inputs ? found.verdict : undefined;
    },
    last: (gate) => load()[gate],
    keep(entries) {
      if (entries.length === 0) return;
      const fresh = entries.filter(({ verdict }) => !verdict.reused);
      if (fresh.length === 0) return;
      const all = { ...load(), ...Object.fromEntries(fresh.map((e) => [e.verdict.gate, e])) };
      kept = all;
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writeWholeSoon(file, sealedJson(all, PURPOSE, key));
      } catch {
        // The disk is full or read-only: the gates are judged again the next time.
      }
    },
  };
}

function readKept(file: string, key: string): Record<string, Kept> {
  try {
    const text = readSmall(file);
    return (text && unsealedJson<Record<string, Kept>>(text, PURPOSE, key)) || {};
  } catch {
    return {};
  }
}
