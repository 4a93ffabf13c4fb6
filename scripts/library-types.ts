/** The types of the library that others say first: `ContractInput` as the schema has it, and the options of a run. */
import { contractJsonSchema } from '../src/engine/contract/json-schema.ts';
import {
  defaultWords,
  type OptionValue,
  type RunOption,
  runOptions,
} from '../src/engine/core/run/options.ts';

const NOTE = '// Written by: node scripts/run.mjs scripts/schema.ts. Changes are lost.';

interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  description?: string;
  $ref?: string;
}

export function contractInputText(): string {
  const { gates, ...rest } = (contractJsonSchema() as Schema).properties ?? {};
  const kinds =
    typeof gates?.additionalProperties === 'object' ? (gates.additionalProperties.anyOf ?? []) : [];
  const settings = sharedBy(kinds);
  const own = kinds.map((kind) => ({ ...kind, properties: without(kind.properties, settings) }));
  const root = { properties: { gates: { description: gates?.description }, ...rest } };
  return [
    NOTE,
    '',
    '/** Settings of a gate of any kind. Times are texts such as `90s`, `10m`, `1h30m`. */',
    `export interface GateSettings ${mapOf({ properties: settings }, '', true)}`,
    '',
    '/** One gate: its kind, what it looks at, and its options, beside the kind or in its long form. */',
    'export type GateInput = GateSettings &',
    '  (',
    ...own.map((kind) => `    | ${mapOf(kind, '      ', true)}`),
    '  );',
    '',
    '/** A contract with the keys of `untildone.yaml`: docs/reference/contract.md. */',
    `export interface ContractInput ${mapOf(root, '', true).replace('gates?: unknown;', 'gates?: Record<string, GateInput>;')}`,
    '',
  ].join('\n');
}

/** What every one of these maps has. */
function sharedBy([first, ...others]: Schema[]): Record<string, Schema> {
  const isEverywhere = ([key, schema]: [string, Schema]) =>
    others.every(({ properties }) => JSON.stringify(properties?.[key]) === JSON.stringify(schema));
  return Object.fromEntries(Object.entries(first?.properties ?? {}).filter(isEverywhere));
}

function without(map: Record<string, Schema> = {}, keys: object): Record<string, Schema> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !(key in keys)));
}

/** `explained`: each key has its description above it. */
function mapOf({ properties = {}, required = [] }: Schema, indent: string, explained = false): string {
  const keys = Object.entries(properties).map(([key, schema]) => ({
    says: schema.description,
    line: `${key}${required.includes(key) ? '' : '?'}: ${typeOf(schema, `${indent}  `)};`,
  }));
  if (!explained) return `{ ${keys.map(({ line }) => line.slice(0, -1)).join('; ')} }`;
  const lines = keys.flatMap(({ says, line }) => [...(says === undefined ? [] : [`/** ${says} */`]), line]);
  return `{\n${lines.map((line) => `${indent}  ${line}\n`).join('')}${indent}}`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.anyOf) return unionOf(schema.anyOf.map((each) => typeOf(each, indent)));
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return unionOf(schema.enum.map(literal));
  if (schema.$ref !== undefined || schema.type === undefined) return 'unknown';
  if (Array.isArray(schema.type)) return unionOf(schema.type);
  switch (schema.type) {
    case 'integer':
      return 'number';
    case 'array': {
      const item = typeOf(schema.items ?? {}, indent);
      return /^[\w.]+$/.test(item) ? `${item}[]` : `(${item})[]`;
    }
    case 'object':
      return typeof schema.additionalProperties === 'object'
        ? `Record<string, ${typeOf(schema.additionalProperties, indent)}>`
        : mapOf(schema, indent);
    default:
      return schema.type;
  }
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** A literal text says nothing beside any text. */
function unionOf(types: string[]): string {
  const all = [...new Set(types.flatMap((type) => (/^[^{(<]*$/.test(type) ? type.split(' | ') : [type])))];
  return all.filter((type) => !(type.startsWith("'") && all.includes('string'))).join(' | ');
}

export function runSettingsText(): string {
  const typed = (part: RunOption['in']) =>
    runOptions
      .filter(([, option]) => option.in === part && option.flag)
      .map(interfaceLines)
      .join('');
  const words = runOptions.flatMap(([name, { value }]) =>
    'known' in value && value.known
      ? [`export type ${capital(name)} = ${value.known.map(literal).join(' | ')};`, '']
      : [],
  );
  return [
    NOTE,
    '',
    "export type Limit = number | 'unlimited';",
    '',
    ...words,
    '/** Limits that end a run that is not done. They win over the limits of the contract. */',
    `export interface RunLimits {\n${typed('limits')}}`,
    '',
    '/** What happens when the agent asks something (`untildone ask`). */',
    `export interface AskOptions {\n${typed('ask')}}`,
    '',
    '/** How a run works. An option that is absent has the value of the contract, or its default. */',
    `export interface RunSettings {\n${typed(undefined)}${typed('client')}  limits?: RunLimits;`,
    "  ask?: NonNullable<AskOptions['policy']> | AskOptions;\n}",
    '',
  ].join('\n');
}

function interfaceLines([name, option]: [string, RunOption]): string {
  const { value, flag, contract } = option;
  const says = contract?.says ?? flag?.help ?? '';
  const standard = says.includes('(default)') ? undefined : defaultWords(option);
  const unit = value.is === 'time' ? ' In milliseconds.' : '';
  const text = `${capital(says)}${standard === undefined ? '' : ` (default: ${standard})`}.${unit}`;
  return `  /** ${text} */\n  ${name}?: ${optionType(name, value)};\n`;
}

function optionType(name: string, value: OptionValue): string {
  switch (value.is) {
    case 'text':
      return value.known ? capital(name) : 'string';
    case 'texts':
      return 'readonly string[]';
    case 'one_of':
      return value.of.map(literal).join(' | ');
    default:
      return value.unlimited === 'unlimited' ? 'Limit' : 'number';
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
