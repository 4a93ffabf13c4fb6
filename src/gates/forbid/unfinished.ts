/** Work that says of itself that it is not finished. */
import type { LinePattern, SourceFile } from './patterns.ts';

/** As a mark in a comment; `TODO list` in the words of a program about TODO lists is none. */
export const TODO: readonly LinePattern[] = ['TODO', 'FIXME', 'XXX', 'HACK'].map((word) => ({
  name: word,
  view: 'comments',
  expression: new RegExp(
    String.raw`(?<![\w-])${word}\b(?!s\b|[ -](?:lists?|items?|apps?|apis?|entry|entries)\b)`,
  ),
}));

/** Abstract methods say so in this way. */
function isAbstract({ text }: SourceFile, line: number): boolean {
  if (/\b(ABC|ABCMeta|Protocol)\b/.test(text)) return true;
  const before = text.split('\n').slice(Math.max(0, line - 9), line);
  return before.some((earlier) => /@(abc\.)?abstract|@overload/.test(earlier));
}

const NOT_IMPLEMENTED = String.raw`not\s+(?:yet\s+)?(?:been\s+)?implemented|unimplemented|to\s?do\b|implement\s+me`;

export const PLACEHOLDER: readonly LinePattern[] = [
  {
    name: 'not implemented',
    view: 'uncommented',
    expression: new RegExp(
      String.raw`\b(?:throw|raise|panic!?|die|fatalError|reject|croak|abort)\b[^"'\x60]*["'\x60][^"'\x60]*(?:${NOT_IMPLEMENTED})`,
      'i',
    ),
    inCode: /\b(throw|raise|panic|die|fatalError|reject|croak|abort)\b/i,
  },
  { name: 'todo!()', languages: ['rust'], view: 'code', expression: /\b(todo|unimplemented)!\s*[([{]/ },
  {
    name: 'NotImplementedError',
    languages: ['python', 'ruby'],
    view: 'code',
    expression: /\braise\s+NotImplementedError\b/,
    unless: isAbstract,
  },
  {
    name: 'NotImplementedException',
    languages: ['csharp'],
    view: 'code',
    expression: /\bnew\s+NotImplementedException\b/,
  },
  { name: 'TODO()', languages: ['kotlin'], view: 'code', expression: /(^|[^\w.])TODO\(/ },
  { name: '???', languages: ['scala'], view: 'code', expression: /(^|[\s={(])\?\?\?(\s|$|[)}])/ },
  {
    name: 'pass',
    languages: ['python'],
    view: 'text',
    expression:
      /^\s*(pass|\.\.\.)\s*#\s*(todo|fixme|implement|placeholder|stub|for now|not implemented|fill|later)/i,
  },
  {
    name: 'code left out',
    view: 'comments',
    expression:
      /(\.{3}|…)\s*(the\s+)?(rest|remaining|existing|other|previous|more|same)\b|\b(rest|remainder) of (the|your|this) (code|file|function|implementation|class|method|logic)|\b(existing|previous|other) code (here|remains|stays|unchanged|goes here)|\b(remains|stays) unchanged\s*(\.{3}|…)/i,
  },
  {
    name: 'code to be written',
    view: 'comments',
    expression:
      /\b(your|add|insert|put|write) (your )?(code|logic|implementation) (here|goes)|\b(code|logic|implementation) goes here|\bimplement(ation)? (this|me|here|later)\b|\bto be implemented\b|\bnot (yet )?implemented\b|\bstub(bed)? (out|for now|implementation)\b/i,
  },
  {
    name: 'placeholder',
    view: 'comments',
    expression:
      /\b(is|as|just|only|use|using) an? (temporary )?placeholder\b|\bplaceholder (for now|implementation|function|method|logic|code|until)|^[\s/*#<!-]*placeholder[\s.:!*/>-]*$/i,
  },
  {
    name: 'pretended',
    view: 'comments',
    expression:
      /\bin (a )?(real|production|actual) (implementation|app|application|world|system|code|version)\b|\bfor now,? (we )?(just |simply )?(return|use|assume|pretend|hard-?code|mock|fake|skip|simulate)/i,
  },
  { name: 'lorem ipsum', view: 'text', expression: /\blorem ipsum\b/i },
];
