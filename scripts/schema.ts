// Writes what the grammar of untildone.yaml and the options of a run say: node scripts/run.mjs scripts/schema.ts
import { mkdirSync, writeFileSync } from 'node:fs';
import { contractJsonSchemaText } from '../src/engine/contract/json-schema.ts';
import { contractInputText, runSettingsText } from './library-types.ts';

mkdirSync('schema', { recursive: true });
writeFileSync('schema/untildone.schema.json', contractJsonSchemaText());
writeFileSync('src/library/contract-input.ts', contractInputText());
writeFileSync('src/library/run-settings.ts', runSettingsText());
