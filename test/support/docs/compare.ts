import type { Place } from './places.ts';

/** What differs from one time to the next is spelled alike: ids of loops, fingerprints, folders. */
function levelled(text: string, { project, home }: Place): string {
  return text
    .replaceAll(project, '/home/you/greeting')
    .replaceAll(home, '/home/you')
    .replace(/\b\d{8}-\d{6}-[0-9a-f]{6}\b/g, 'LOOP')
    .replace(/\b[0-9a-f]{40,64}\b/g, 'HASH')
    .trimEnd();
}

/** Whether a page shows what was printed. `...` stands for anything in a line, and alone for any lines. */
export function shows(output: readonly string[], printed: string, place: Place): boolean {
  const lines = levelled(output.join('\n'), place).split('\n');
  const pattern = lines.map((line, at) => {
    const end = at === lines.length - 1 ? '' : '\n';
    if (line.trim() === '...') return end === '' ? '[^]*' : '(?:.*\n)*';
    return line.split('...').map(escaped).join('.*') + end;
  });
  return new RegExp(`^${pattern.join('')}$`).test(levelled(printed, place));
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
