import type { Contract, PromptRule } from '../../core/contract/contract.ts';
import { oneLine } from '../../core/text/clip.ts';
import type { ToolRules } from '../../core/tools/tool-rules.ts';
import { traitsOf } from '../../gates/traits.ts';

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

/** The models that a contract asks, for the person who approves it. */
export function modelLines({ gates }: Pick<Contract, 'gates'>): string[] {
  const lines = Object.entries(gates).flatMap(([name, spec]) => {
    const question = traitsOf(spec.kind).modelQuestion?.(spec.options);
    if (!question) return [];
    const { text, maxCostUsd } = question;
    const most = maxCostUsd === undefined ? '' : ` (at most ${maxCostUsd} USD each time)`;
    return [`  ${name}, ${spec.kind}: ${text}${most}`];
  });
  if (lines.length === 0) return [];
  return ['Models are asked this with your login; an agent may run commands, as you:', ...lines];
}

/** What a person approves of the prompts of their sessions. */
export function promptLines(rule: PromptRule | undefined): string[] {
  if (!rule) return [];
  const { gates, tell, tellFile } = rule;
  return [
    ...(gates.length > 0 ? [`A prompt is sent only when it passes: ${gates.join(', ')}`] : []),
    ...(tell === undefined ? [] : [`The model is told with every prompt: ${oneLine(tell, 500)}`]),
    ...(tellFile === undefined ? [] : [`The model is told with every prompt what is in ${tellFile}`]),
  ];
}
