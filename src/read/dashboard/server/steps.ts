/** Work in parts: requests and timers have their turn in between, however much there is to do. */

/** At most so many loops are read without a pause, and no longer than this. */
export const A_SLICE = 20;
const SLICE_MS = 8;

export class Steps<T> {
  done = false;
  private readonly all: Iterator<T | undefined>;

  constructor(all: Iterable<T | undefined>) {
    this.all = all[Symbol.iterator]();
  }

  /** Does the next part. What is undefined cost little, and is left out. */
  next(): T[] {
    const until = performance.now() + SLICE_MS;
    const part: T[] = [];
    while (!this.done && part.length < A_SLICE) {
      const { value, done } = this.all.next();
      if (done) this.done = true;
      else if (value !== undefined) part.push(value);
      if (performance.now() > until) break;
    }
    return part;
  }
}

/** Lets requests and timers have their turn. */
export function aTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
