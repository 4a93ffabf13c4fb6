/** What `reflect.cjs` offers: it reads transcripts, also in threads. Loaded when a command needs it. */
export type ReflectBundle = typeof import('../../main/reflect.ts');

export function loadReflect(): Promise<ReflectBundle> {
  return Promise.resolve().then(() => require('./reflect.cjs') as ReflectBundle);
}
