import { mutes } from '../../core/chains/all.ts';
import type { Mute } from '../../core/chains/chain.ts';
import type { SUPPRESSION_GROUPS } from '../../core/contract/gate-options.ts';
import type { LanguageName } from '../../core/source/lexicon.ts';

/** What a finding is about. A contract may allow a whole group. */
export type SuppressionGroup = (typeof SUPPRESSION_GROUPS)[number];

/** A remark that makes a tool look away. */
export interface Directive extends Mute {
  /** Counts only where no other directive is on the line. */
  general?: boolean;
}

const C_COMMENT: readonly LanguageName[] = [
  'javascript',
  'css',
  'go',
  'java',
  'kotlin',
  'scala',
  'csharp',
  'c',
  'swift',
  'dart',
  'php',
  'rust',
];

/** Remarks to tools that read many languages. */
const EVERYWHERE: readonly Directive[] = [
  {
    name: 'noinspection',
    group: 'lint',
    expression: /(?:\/\/|\/\*\*?)\s{0,20}@?noinspection\b/,
    languages: C_COMMENT,
  },
  {
    name: 'checkstyle-off',
    group: 'lint',
    expression: /CHECKSTYLE[:.\s]{0,5}OFF\b|\bNOSONAR\b|\bNOPMD\b/,
    languages: C_COMMENT,
  },
  { name: 'nocov', group: 'coverage', expression: /(?:#|\/\/)[\s:]{0,20}nocov\b/ },
  { name: 'coverage-excluded', group: 'coverage', expression: /\b[LG]COV_EXCL_|\bGCOVR_EXCL_/ },
  { name: 'coverage-excluded', group: 'coverage', expression: /coverage:ignore|coveralls-ignore/ },
];

/** Linters that a project wrote itself take comments like those of others. */
const OWN_LINTERS: readonly Directive[] = [
  {
    name: 'lint-comment',
    group: 'lint',
    expression:
      /(?:\/\/|\/\*|#|--|<!--)[\s*!]{0,20}@?[\w.-]{0,30}(?:lint|check|style|audit|scan|rule|warn)\w{0,20}[-:_ ]{1,3}(?:disable|ignore|off|skip|suppress|allow)\b/i,
    narrow: /line|next|this/,
    general: true,
  },
  {
    name: 'lint-comment',
    group: 'lint',
    expression:
      /(?:\/\/|\/\*|#|--|<!--)[\s*!]{0,20}@?(?:disable|ignore|skip|suppress|no)[-:_]{1,2}\w{0,20}(?:lint|check|style|audit|scan|rule|warning)/i,
    narrow: /line|next|this/,
    general: true,
  },
];

export const DIRECTIVES: readonly Directive[] = [...mutes.flat(), ...EVERYWHERE, ...OWN_LINTERS];
