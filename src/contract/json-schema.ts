import { z } from 'zod';
import { contractSchema } from './grammar.ts';

/** What editors complete and check while a contract is written. The parser says more, and more exactly. */
export function contractJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(contractSchema, { io: 'input', target: 'draft-7' });
  return {
    $schema,
    title: 'untildone.yaml',
    description: 'The contract of untildone: when the work of Claude Code is done.',
    ...schema,
  };
}

export function contractJsonSchemaText(): string {
  return `${JSON.stringify(contractJsonSchema(), null, 2)}\n`;
}
