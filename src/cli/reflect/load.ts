/** What `reflect.cjs` offers: everything that looks back. It is loaded when one of its commands is called. */
export type ReflectBundle = typeof import('../../main/reflect.ts');

export function loadReflect(): Promise<ReflectBundle> {
  return Promise.resolve().then(() => require('./reflect.cjs') as ReflectBundle);
}
