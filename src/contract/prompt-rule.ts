/** `prompt` of a contract: what guards the prompts of a person, and what is told with them. */
import { z } from 'zod';
import type { PromptRule } from '../core/contract/contract.ts';
import { TELL_LIMIT } from '../core/words/prompt-words.ts';
import { gateNames, pathOf, textOf } from '../schema/values.ts';
import { say, strict } from '../schema/words.ts';

const SHORT = 'prompt: [no-secrets]';
const LONG = 'prompt: { gates: [no-secrets], tell: Answer in English. }';

export const promptRule = z
  .union([
    gateNames(SHORT),
    strict(
      {
        gates: gateNames(LONG).describe('The gates.').exactOptional(),
        tell: textOf('a text', LONG)
          .refine(
            (text) => text.length <= TELL_LIMIT,
            say(`a text of at most ${TELL_LIMIT} characters`, LONG),
          )
          .describe('Told to the model with every prompt.')
          .exactOptional(),
        tell_file: pathOf('a file', 'prompt: { tell_file: docs/context.md }')
          .describe(`A file whose first ${TELL_LIMIT} characters are told to the model with every prompt.`)
          .exactOptional(),
      },
      'names of gates, or { gates, tell, tell_file }',
      LONG,
    ).refine((rule) => Object.keys(rule).length > 0, say('at least one of gates, tell, tell_file', LONG)),
  ])
  .describe('Gates for the prompts of a person (UserPromptSubmit), and what is told with them.')
  .transform((value): PromptRule => {
    const { gates = [], tell, tell_file } = Array.isArray(value) ? { gates: value } : value;
    return {
      gates: [...new Set(gates)],
      ...(tell === undefined ? {} : { tell }),
      ...(tell_file === undefined ? {} : { tellFile: tell_file }),
    };
  });
