// Writes the JSON Schema of untildone.yaml: node scripts/run.mjs scripts/schema.ts
import { mkdirSync, writeFileSync } from 'node:fs';
import { contractJsonSchemaText } from '../src/engine/contract/json-schema.ts';

mkdirSync('schema', { recursive: true });
writeFileSync('schema/untildone.schema.json', contractJsonSchemaText());
