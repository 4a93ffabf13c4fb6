// Names every link of the handbook that leads to no file.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const pages = ['README.md', ...readdirSync('docs').map((name) => join('docs', name))];
let broken = 0;
for (const page of pages.filter((name) => name.endsWith('.md'))) {
  const lines = readFileSync(page, 'utf8').split('\n');
  for (const [at, line] of lines.entries()) {
    for (const [, target] of line.matchAll(/\]\(([^)#:]+)\)/g)) {
      if (existsSync(join(dirname(page), target))) continue;
      console.log(`${page}:${at + 1}: the link to ${target} leads nowhere`);
      broken += 1;
    }
  }
}
process.exitCode = broken === 0 ? 0 : 1;
