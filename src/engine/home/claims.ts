import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../files/digest.ts';
import { withLock } from '../files/lock.ts';
import { namesIn, readSmall, writeWhole } from '../files/whole-file.ts';
import type { Claim, Claims } from '../ports/ports.ts';
import { type Home, readKey, sealedJson, unsealedJson } from './layout.ts';

/** Which session owns which foreign state. The home records it, because the state's own files name no session. */
export function claimFiles(home: Home): Claims {
  return {
    of: (path) => readClaim(home, fileOf(path)),
    change(path, build) {
      mkdirSync(home.claims, { recursive: true, mode: 0o700 });
      const file = join(home.claims, fileOf(path));
      return withLock(`${file}.lock`, () => {
        const before = readClaim(home, fileOf(path));
        const after = build(before);
        if (after && after !== before) {
          writeWhole(file, sealedJson(after, purposeOf(fileOf(path)), readKey(home)));
        }
        return after;
      });
    },
  };
}

export function claimsOfSession(home: Home, session: string): Claim[] {
  const names = namesIn(home.claims).filter((name) => name.endsWith('.json'));
  return names.flatMap((name) => {
    const claim = readClaim(home, name);
    return claim?.session === session ? [claim] : [];
  });
}

/** The claim on the state that a loop was taken up from. */
export function claimOfLoop(home: Home, loopDir: string): Claim | undefined {
  const names = namesIn(home.claims).filter((name) => name.endsWith('.json'));
  return names.map((name) => readClaim(home, name)).find((claim) => claim?.loopDir === loopDir);
}

function readClaim(home: Home, name: string): Claim | undefined {
  const text = readSmall(join(home.claims, name));
  return text === undefined ? undefined : unsealedJson<Claim>(text, purposeOf(name), readKey(home));
}

function fileOf(path: string): string {
  return `${sha256(path).slice(0, 32)}.json`;
}

function purposeOf(name: string): string {
  return `claim ${name}`;
}
