import * as z from 'zod';
import { contractSchema } from './grammar.ts';

/** Its address in the schema store, from which editors load it for every `untildone.yaml`: schema/catalog-entry.json. */
const SCHEMA_ID = 'https://www.schemastore.org/untildone.json';

/** The JSON Schema by which editors complete and check a contract. The parser finds more mistakes. */
export function contractJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(contractSchema, { io: 'input', target: 'draft-7' });
  return {
    $schema,
    $id: SCHEMA_ID,
    title: 'untildone.yaml',
    description: 'The contract of untildone: when the work of Claude Code is done.',
    ...schema,
  };
}

export function contractJsonSchemaText(): string {
  return `${JSON.stringify(contractJsonSchema(), null, 2)}\n`;
}
