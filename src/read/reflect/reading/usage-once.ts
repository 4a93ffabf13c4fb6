import type { Fields } from '../../../engine/client/fields.ts';
import type { UsageRecord } from './records.ts';

type Counts = Pick<UsageRecord, 'input' | 'cacheCreation' | 'cacheRead' | 'output'>;
type Counted = Omit<UsageRecord, 'kind' | 'line' | 'at' | 'where'>;

/** The lines of one answer stand close to each other. */
const REMEMBERED = 200;

/** Counts the tokens of each answer once, although each of its lines tells them. Of growing numbers the largest counts. */
export class UsageOnce {
  private readonly counted = new Map<string, Counts>();

  of(message: string | undefined, model: string | undefined, usage: Fields | undefined): Counted | undefined {
    if (message === undefined || !usage) return undefined;
    const now: Counts = {
      input: countOf(usage.input_tokens),
      cacheCreation: countOf(usage.cache_creation_input_tokens),
      cacheRead: countOf(usage.cache_read_input_tokens),
      output: countOf(usage.output_tokens),
    };
    const before = this.counted.get(message);
    if (before && !isMore(now, before)) return undefined;
    this.remember(message, before ? larger(now, before) : now);
    const added = before ? less(larger(now, before), before) : now;
    return { message, model: model ?? 'unknown', first: before === undefined, ...added };
  }

  private remember(message: string, counts: Counts): void {
    this.counted.delete(message);
    this.counted.set(message, counts);
    const [oldest] = this.counted.size > REMEMBERED ? this.counted.keys() : [];
    if (oldest !== undefined) this.counted.delete(oldest);
  }
}

function isMore(a: Counts, b: Counts): boolean {
  return (
    a.input > b.input || a.cacheCreation > b.cacheCreation || a.cacheRead > b.cacheRead || a.output > b.output
  );
}

function larger(a: Counts, b: Counts): Counts {
  return combined(a, b, Math.max);
}

function less(a: Counts, b: Counts): Counts {
  return combined(a, b, (x, y) => x - y);
}

function combined(a: Counts, b: Counts, by: (x: number, y: number) => number): Counts {
  return {
    input: by(a.input, b.input),
    cacheCreation: by(a.cacheCreation, b.cacheCreation),
    cacheRead: by(a.cacheRead, b.cacheRead),
    output: by(a.output, b.output),
  };
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
