import type { ForeignFiles } from '../../ports/ports.ts';
import { jsonFault } from '../../schema/json-fault.ts';
import type { Damage } from '../format.ts';
import { type Fields, isFields } from './fields.ts';

/** A JSON object in a file; what else is there is a problem that says where and what to do. */
export type ObjectRead =
  | { kind: 'object'; fields: Fields }
  | { kind: 'none' }
  | { kind: 'unusable'; problem: string; damage?: Damage };

export function readObject(path: string, files: ForeignFiles): ObjectRead {
  const read = files.read(path);
  if (read.kind !== 'text') {
    return read.kind === 'none'
      ? read
      : { kind: 'unusable', problem: `${read.problem}; repair or remove it` };
  }
  const text = read.text.replace(/^\uFEFF/, '');
  try {
    const value: unknown = JSON.parse(text);
    if (isFields(value)) return { kind: 'object', fields: value };
    return {
      kind: 'unusable',
      problem: `${path} holds no JSON object; repair or remove it`,
      damage: { file: path, fault: 'it holds no JSON object' },
    };
  } catch {
    const { line, column } = jsonFault(text);
    return {
      kind: 'unusable',
      problem: `${path} is not JSON (line ${line}, column ${column}); repair or remove it`,
      damage: { file: path, fault: `line ${line}, column ${column}: this is no JSON` },
    };
  }
}
