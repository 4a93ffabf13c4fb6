/** Paths, ids and times of a recording as placeholders, and back: those of the machine that plays it. */
import { resolve } from 'node:path';

const PROGRAM = resolve(import.meta.dirname, '../../..');

/** Stands for what `trust --show` says. */
export const FINGERPRINT = '{fingerprint}';

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TOOL = /toolu_sim_\w+/g;
const REQUEST = /(?:req|msg)_sim_\w+/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const FILLED = /\{(id|time|tool|request)-(\d+)\}/g;

/** As Claude Code names the folder of a project. */
const dashed = (path: string) => path.replace(/[^A-Za-z0-9]/g, '-');

export function withPlaceholders<T>(value: T, root: string): T {
  const times = [...JSON.stringify(value).matchAll(TIME)].map(([time]) => Date.parse(time));
  const last = Math.max(...times);
  const text = JSON.stringify(value)
    .replaceAll(root, '{root}')
    .replaceAll(dashed(root), '{dashed-root}')
    .replaceAll(PROGRAM, '{program}')
    .replaceAll(process.execPath, '{node}')
    .replace(ID, numbered('id'))
    .replace(TOOL, numbered('tool'))
    .replace(REQUEST, numbered('request'))
    .replace(TIME, (time) => `{time-${last - Date.parse(time)}}`);
  return JSON.parse(text);
}

function numbered(name: string): (found: string) => string {
  const known: string[] = [];
  return (found) => {
    if (!known.includes(found)) known.push(found);
    return `{${name}-${known.indexOf(found) + 1}}`;
  };
}

/** `now`: the time of the last line. */
export function withoutPlaceholders<T>(value: T, root: string, now: number): T {
  const text = JSON.stringify(value)
    .replaceAll('{root}', root)
    .replaceAll('{dashed-root}', dashed(root))
    .replaceAll('{program}', PROGRAM)
    .replaceAll('{node}', process.execPath)
    .replace(FILLED, (_, name: string, number: string) => {
      if (name === 'time') return new Date(now - Number(number)).toISOString();
      if (name === 'id') return `00000000-c0de-4abc-8def-${number.padStart(12, '0')}`;
      return `${name === 'tool' ? 'toolu' : 'req'}_${number}`;
    });
  return JSON.parse(text);
}
