/** The expressions of GitHub workflows, as far as a value can be told without running anything. */

/** What names stand for: `matrix.os`, `env.TARGET`. */
export type Names = Readonly<Record<string, string>>;

const EXPRESSION = /\$\{\{((?:[^}]|\}(?!\}))*)\}\}/g;

/** The text with the values of its expressions; undefined where one cannot be told. */
export function filledIn(text: string, names: Names): string | undefined {
  let isWhole = true;
  const filled = text.replace(EXPRESSION, (_, expression: string) => {
    const value = valueIn(expression.trim(), names);
    if (value === undefined) isWhole = false;
    return value ?? '';
  });
  return isWhole ? filled : undefined;
}

/** The names that the expressions of a text ask for. */
export function namesIn(text: string): string[] {
  const expressions = [...text.matchAll(EXPRESSION)].map(([, inner = '']) => inner);
  return [
    ...new Set(expressions.flatMap((inner) => inner.match(/\b(?:matrix|env|inputs|secrets)\.[\w-]+/g) ?? [])),
  ];
}

/** `a || b`, `format('{0}', a)`, a name, or a text in quotes. */
function valueIn(expression: string, names: Names): string | undefined {
  const alternatives = expression.split('||').map((each) => each.trim());
  if (alternatives.length > 1)
    return alternatives
      .map((each) => valueIn(each, names))
      .find((value) => value !== undefined && value !== '');
  const quoted = /^'([^']*)'$/.exec(expression)?.[1];
  if (quoted !== undefined) return quoted;
  const call = /^format\('([^']*)',\s*(.+)\)$/.exec(expression);
  if (!call) return Object.hasOwn(names, expression) ? names[expression] : undefined;
  const values = (call[2] ?? '').split(',').map((each) => valueIn(each.trim(), names));
  if (values.includes(undefined)) return undefined;
  return (call[1] ?? '').replace(/\{(\d)\}/g, (_, at: string) => values[Number(at)] ?? '');
}
