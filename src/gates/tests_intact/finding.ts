/** One way in which the tests say less than before. */
export interface Finding {
  /** Stable as long as the weakening is the same; what a person allows. */
  id: string;
  path: string;
  /** Where it is now; absent when it is gone. */
  line?: number;
  text: string;
}

/** `test/a.test.ts:12 added .skip to "adds" [skip:test/a.test.ts:adds]`. */
export function describeFinding({ id, path, line, text }: Finding): string {
  return `${path}${line === undefined ? '' : `:${line}`} ${text} [${id}]`;
}
