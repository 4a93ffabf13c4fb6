import type { PromptRule } from '../../core/contract/contract.ts';
import { oneLine } from '../../core/text/clip.ts';

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
