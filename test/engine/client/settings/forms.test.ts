import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { misshapenSetting } from '../../../../src/engine/client/settings/forms.ts';
import { addHooks } from '../../../../src/engine/client/settings/our-hooks.ts';
import { addSandbox } from '../../../../src/engine/client/settings/our-sandbox.ts';

/** Every form once, by the kind of a type. */
const VALUES: Record<string, unknown> = { string: 'x', number: 1, boolean: true, array: [], object: {} };

function kindOf(type: ts.TypeNode | undefined): string[] {
  if (!type) return [];
  if (ts.isParenthesizedTypeNode(type)) return kindOf(type.type);
  if (ts.isUnionTypeNode(type)) return [...new Set(type.types.flatMap(kindOf))];
  if (ts.isTypeLiteralNode(type)) return ['object'];
  if (ts.isArrayTypeNode(type)) return ['array'];
  return [ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal) ? 'string' : type.getText()];
}

/** The settings that the SDK of Claude Code declares, with their kinds. */
function declared(): [name: string, kinds: string[]][] {
  const sdk = createRequire(import.meta.url).resolve('@anthropic-ai/claude-agent-sdk');
  const path = join(dirname(sdk), 'sdk.d.ts');
  const tree = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const settings = tree.statements.find(
    (each): each is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(each) && each.name.text === 'Settings',
  );
  return (settings?.members ?? []).flatMap((member): [string, string[]][] =>
    ts.isPropertySignature(member) ? [[member.name.getText(), kindOf(member.type)]] : [],
  );
}

test('every setting that Claude Code declares is known by its form', () => {
  const all = declared();
  expect(all.length).toBeGreaterThan(100);
  for (const [name, kinds] of all) {
    const wrong = Object.keys(VALUES).filter((kind) => misshapenSetting({ [name]: VALUES[kind] }) === name);
    const expected = kinds.length > 1 ? [] : Object.keys(VALUES).filter((kind) => !kinds.includes(kind));
    expect([name, wrong]).toEqual([name, expected]);
  }
});

test.each<[object, string | undefined]>([
  [{}, undefined],
  [JSON.parse(addHooks(undefined).text), undefined],
  [JSON.parse(addSandbox('{}', { choice: 'required', network: false }).text), undefined],
  [{ later: 5, attribution: true }, undefined],
  [{ permissions: 5 }, 'permissions'],
  [{ model: null }, 'model'],
  [{ permissions: { allow: 'x' } }, 'permissions.allow'],
])('%j: %s', (settings, name) => {
  expect(misshapenSetting(settings)).toBe(name);
});
