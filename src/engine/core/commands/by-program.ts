/** Facts of all chains by the name of each program: a key of a chain may name several. */
export function byProgram<Value>(
  facts: readonly Readonly<Record<string, Value>>[],
): ReadonlyMap<string, Value> {
  const entries = facts.flatMap((fact) => Object.entries(fact));
  return new Map(entries.flatMap(([names, value]) => names.split(' ').map((name) => [name, value] as const)));
}
