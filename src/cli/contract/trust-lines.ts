import type { ToolRules } from '../../core/tools/tool-rules.ts';

/** What a person approves with the tool rules of a contract. */
export function toolLines(rules: ToolRules | undefined): string[] {
  if (!rules) return [];
  const { dangerous, protect, hide, deny, allow, rewrite } = rules;
  return [
    ...section('Allowed without asking, in every session of this project:', allow),
    ...section(
      'Inputs of tools are changed:',
      rewrite.map((rule) => `${rule.tool}, ${rule.field}: /${rule.pattern}/ becomes "${rule.with}"`),
    ),
    ...section('Refused:', [
      ...(dangerous ? ['commands that destroy what cannot be had back'] : []),
      ...deny.map(({ rule }) => rule),
      `changes to ${['.env*, .git, keys and the like', ...protect].join(', ')}`,
      ...(hide.length > 0 ? [`reading or changing ${hide.join(', ')}`] : []),
    ]),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}
