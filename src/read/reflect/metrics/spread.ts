/** How values are spread: their number, percentiles and the largest, in bounded memory. */

/** Up to so many values every percentile is exact. */
const EXACT = 4096;
/** Beyond that, values that differ by less than this share are one. */
const STEP = 1.02;

export interface SpreadJson {
  count: number;
  sum: number;
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

export class Spread {
  private values: number[] = [];
  private buckets: Map<number, number> | undefined;
  private number = 0;
  private total = 0;
  private largest = 0;

  get count(): number {
    return this.number;
  }

  /** Takes a value; what is negative or no number is left out. */
  add(value: number): void {
    if (!Number.isFinite(value) || value < 0) return;
    this.number++;
    this.total += value;
    this.largest = Math.max(this.largest, value);
    if (this.buckets) this.intoBucket(value);
    else if (this.values.push(value) > EXACT) this.group();
  }

  /** The smallest value that at least this share of all values do not exceed; undefined without values. */
  at(share: number): number | undefined {
    if (this.number === 0) return undefined;
    const rank = Math.max(1, Math.ceil(share * this.number));
    if (!this.buckets) return [...this.values].sort((a, b) => a - b)[rank - 1];
    let seen = 0;
    for (const [bucket, count] of [...this.buckets].sort(([a], [b]) => a - b)) {
      seen += count;
      if (seen >= rank) return bucket < 0 ? 0 : Math.min(this.largest, STEP ** bucket - 1);
    }
    return this.largest;
  }

  toJSON(): SpreadJson | null {
    const [p50, p95, p99] = [this.at(0.5), this.at(0.95), this.at(0.99)];
    if (p50 === undefined || p95 === undefined || p99 === undefined) return null;
    const { count, total: sum, largest: max } = this;
    return {
      count,
      sum: rounded(sum),
      p50: rounded(p50),
      p95: rounded(p95),
      p99: rounded(p99),
      max: rounded(max),
    };
  }

  private group(): void {
    this.buckets = new Map();
    for (const value of this.values) this.intoBucket(value);
    this.values = [];
  }

  private intoBucket(value: number): void {
    const bucket = value === 0 ? -1 : Math.round(Math.log(value + 1) / Math.log(STEP));
    this.buckets?.set(bucket, (this.buckets.get(bucket) ?? 0) + 1);
  }
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Counts by name. Names come from outside, so there are at most so many; the rest are `other`. */
export class Counts {
  private readonly counts = new Map<string, number>();
  private readonly most: number;

  constructor(most = 200) {
    this.most = most;
  }

  add(name: string, by = 1): void {
    const key = this.counts.has(name) || this.counts.size < this.most ? name : 'other';
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
  }

  of(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The largest first. */
  sorted(): [name: string, count: number][] {
    return [...this.counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  }

  toJSON(): Record<string, number> {
    return Object.fromEntries(this.sorted());
  }
}
