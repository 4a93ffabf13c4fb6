import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * esbuild makes a chunk for each set of parts that share a file, so that a command would load what all need from forty small
 * files, which takes longer than a few large ones. So each part that is imported later is said to import `bases`, too, and so are
 * `entries`: what these hold lies in few chunks. No base may import a part at once.
 */
export function oneBase({ bases, entries }) {
  const given = bases.map((base) => resolve(base));
  // Exported, or esbuild would leave out what nobody uses.
  const imports = given.map((base, at) => `export * as base${at} from ${JSON.stringify(base)};`).join('\n');
  const parts = new Set([
    ...entries.map((entry) => resolve(entry)),
    ...readdirSync('src', { recursive: true })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => importedLater(join('src', name))),
  ]);
  return {
    name: 'one base',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) =>
        parts.has(path) && !given.includes(path)
          ? { contents: `${readFileSync(path, 'utf8')}\n${imports}`, loader: 'ts' }
          : undefined,
      );
    },
  };
}

function importedLater(file) {
  return [...readFileSync(file, 'utf8').matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, target]) =>
    resolve(dirname(file), target),
  );
}
