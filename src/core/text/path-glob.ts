/**
 * Patterns for paths of a project, as contracts write them: `**`, `*`, `?`, `{a,b}`, and `!` to take back.
 * A pattern without a slash matches a name in any folder; one that names a folder matches everything in it. The last
 * pattern that matches decides; a list of nothing but `!` patterns begins with everything.
 */
export function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const rules = patterns.map((pattern) => {
    const negated = pattern.startsWith('!');
    return { keep: !negated, expression: globExpression(negated ? pattern.slice(1) : pattern) };
  });
  const start = rules.length > 0 && rules.every((rule) => !rule.keep);
  return (path) => rules.reduce((kept, rule) => (rule.expression.test(path) ? rule.keep : kept), start);
}

function globExpression(glob: string): RegExp {
  const body = glob.replace(/^(\.?\/)+/, '').replace(/\/+$/, '');
  const anywhere = glob.replace(/\/+$/, '').includes('/') ? '' : '(?:.*/)?';
  return new RegExp(`^${anywhere}${translate(body)}(?:/.*)?$`, 's');
}

function translate(glob: string): string {
  let expression = '';
  let depth = 0;
  for (let at = 0; at < glob.length; at++) {
    const character = glob[at] as string;
    if (glob.startsWith('**/', at)) {
      expression += '(?:.*/)?';
      at += 2;
    } else if (glob.startsWith('**', at)) {
      expression += '.*';
      at += 1;
    } else if (character === '*') expression += '[^/]*';
    else if (character === '?') expression += '[^/]';
    else if (character === '{' && glob.includes('}', at)) {
      depth++;
      expression += '(?:';
    } else if (character === '}' && depth > 0) {
      depth--;
      expression += ')';
    } else if (character === ',' && depth > 0) expression += '|';
    else expression += character.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  }
  return expression + ')'.repeat(depth);
}
