/** One way in which the tests say less than before. */
export interface Finding {
  /** Stays the same as long as the weakening does. You allow a finding by its id. */
  id: string;
  path: string;
  /** The line of the finding; absent when it is gone. */
  line?: number;
  text: string;
}

/** `test/a.test.ts:12 added .skip to "adds" [skip:test/a.test.ts:adds]`. */
export function describeFinding({ id, path, line, text }: Finding): string {
  return `${path}${line === undefined ? '' : `:${line}`} ${text} [${id}]`;
}
