import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Row } from './report.ts';

const PAGE = 'dist/dashboard';
const MOST_KB = 40;

/** What a browser loads before it shows anything, against what it may be. */
export function weighPage(): Row[] {
  const bytes = readdirSync(PAGE).map((file) => gzipSync(readFileSync(join(PAGE, file))).length);
  const median = bytes.reduce((sum, size) => sum + size, 0) / 1024;
  return [
    {
      name: 'the page of the dashboard, gzipped',
      against: 'what it may weigh',
      unit: 'KB',
      median,
      baseMedian: MOST_KB,
      ratioOfMedians: median / MOST_KB,
      target: 1,
    },
  ];
}
