/** Judges one tool call by the tool rules of a contract. Pure: it asks `place` about the machine. */

import { shellCalls } from '../shell/calls.ts';
import { variablesOf, withKnownFolders } from '../shell/variables.ts';
import { oneLine } from '../text/clip.ts';
import { dangerIn } from './dangerous.ts';
import { gitCallOf } from './dangerous-git.ts';
import { type Asked, allowedBy, denies } from './permission-rule.ts';
import { changedPath, type Protected } from './protect.ts';
import { type MatcherOf, rewriteInput } from './rewrite-input.ts';
import { pathsMeant } from './tool-paths.ts';
import {
  DEFAULT_PROTECTED,
  type ToolCall,
  type ToolPlace,
  type ToolRules,
  type ToolRuling,
} from './tool-rules.ts';
import { unreadablePath } from './unreadable-paths.ts';

const SHOWN = 200;
/** Longer commands are refused, because checking them takes too long. */
const LONGEST_COMMAND = 100_000;

/** `matcherOf` is needed for rules that rewrite inputs of this tool. */
export function judgeTool(
  call: ToolCall,
  rules: ToolRules,
  place: ToolPlace,
  matcherOf: MatcherOf = noMatcher,
): ToolRuling {
  const refused = refusal(call, rules, place);
  if (refused) return refused;
  if (call.event === 'PermissionRequest') {
    const rule = allowedBy(rules.allow, askedOf(call, place));
    return rule === undefined ? { kind: 'none' } : { kind: 'permit', rule: oneLine(rule, SHOWN) };
  }
  const rewritten = rewriteInput(call.tool, call.input, rules.rewrite, matcherOf);
  if (rewritten.kind === 'same') return { kind: 'none' };
  if (rewritten.kind === 'too_long') {
    const reason = `untildone: a line of "${rewritten.field}" is too long for what this project's rules do with it. Use shorter lines.`;
    return { kind: 'refuse', why: 'too long to be rewritten', reason };
  }
  if (rewritten.kind === 'unusable') {
    const pattern = oneLine(rewritten.pattern, SHOWN);
    const reason = `untildone: this project rewrites such calls by the pattern ${pattern}, which cannot be used: ${rewritten.why}. Go on without this call, and tell the person that the contract needs another pattern.`;
    return { kind: 'refuse', why: `the pattern ${pattern} cannot be used`, reason };
  }
  const { input, fields } = rewritten;
  return refusal({ ...call, input }, rules, place) ?? { kind: 'rewrite', input, what: fields.join(', ') };
}

function noMatcher(): never {
  throw new Error('there is nothing that matches it');
}

function askedOf(call: ToolCall, place: ToolPlace): Asked {
  const { command } = call.input;
  if (call.tool !== 'Bash' || typeof command !== 'string') return { call, place, variables: new Map() };
  const known = withKnownFolders(command, place.roots[0] ?? '');
  return {
    call: { ...call, input: { ...call.input, command: known } },
    place,
    variables: variablesOf(known),
  };
}

type Refusal = Extract<ToolRuling, { kind: 'refuse' }>;

function refusal(given: ToolCall, rules: ToolRules, place: ToolPlace): Refusal | undefined {
  const length = typeof given.input.command === 'string' ? given.input.command.length : 0;
  if (given.tool === 'Bash' && length > LONGEST_COMMAND) {
    const reason = 'untildone: this command is too long to be checked. Use shorter ones.';
    return { kind: 'refuse', why: 'a command of excessive length', reason };
  }
  const asked = askedOf(given, place);
  return (
    deniedBy(asked, rules) ??
    dangerous(asked, rules) ??
    changesProtected(asked, rules) ??
    readsUnreadable(asked, rules)
  );
}

function deniedBy(asked: Asked, rules: ToolRules): Refusal | undefined {
  const found = rules.deny.find(({ rule }) => denies(rule, asked));
  if (!found) return undefined;
  const said = found.say ?? 'Go on without it, or tell the person what you would need it for.';
  const why = oneLine(`rule ${found.rule}`, SHOWN);
  return { kind: 'refuse', why, reason: `untildone: this project does not allow ${found.rule}. ${said}` };
}

function dangerous({ call, place, variables }: Asked, rules: ToolRules): Refusal | undefined {
  const { command } = call.input;
  if (!rules.dangerous || call.tool !== 'Bash' || typeof command !== 'string') return undefined;
  const danger = dangerIn(command, place, variables);
  if (danger === undefined) return undefined;
  const what = oneLine(danger, SHOWN);
  return {
    kind: 'refuse',
    why: `dangerous: ${what}`,
    reason: `untildone: refused, because this command ${what}. It cannot be undone. ${insteadOf(danger)}`,
  };
}

function insteadOf(danger: string): string {
  if (/in no commit/.test(danger))
    return 'Commit or stash first (git stash --include-untracked), or name single paths.';
  if (/from the net/.test(danger))
    return 'Load it into a file, read it, then run it; or use a package manager.';
  if (/on the server/.test(danger)) return 'Push without force, or to a branch of your own.';
  return 'Name exactly what has to go, or leave it to the person.';
}

function changesProtected(asked: Asked, { protect }: ToolRules): Refusal | undefined {
  const { call, place, variables } = asked;
  // Removing index.lock is allowed: a lock of a dead process keeps git from working.
  const locks = place.gitFolders().map((folder) => `!${folder}/index.lock`);
  const patterns = [...DEFAULT_PROTECTED, ...place.gitFolders(), ...locks, ...protect];
  const guarded = protectedBy(patterns, place, protect);
  const path =
    changedPath(call.tool, call.input, guarded, (word) => place.spellings(word, variables)) ??
    (guarded.fits?.(place.gitFolders()[0] ?? '') ? redirectedGit(call) : undefined);
  if (path === undefined) return undefined;
  const shown = shownPath(path, place);
  return {
    kind: 'refuse',
    why: `protected: ${shown}`,
    reason: `untildone: ${shown} is protected in this project: no tool changes it. Leave it as it is; if the task needs a change there, tell the person which.`,
  };
}

function readsUnreadable({ call, place, variables }: Asked, { hide }: ToolRules): Refusal | undefined {
  if (hide.length === 0) return undefined;
  const path = unreadablePath(call.tool, call.input, protectedBy(hide, place, hide), (word) =>
    place.spellings(word, variables),
  );
  if (path === undefined) return undefined;
  const shown = shownPath(path, place);
  return {
    kind: 'refuse',
    why: `hidden: ${shown}`,
    reason: `untildone: ${shown} is hidden in this project: no tool reads or changes it, and no search goes through it. Go on without it.`,
  };
}

/** Patterns of the contract (`own`) protect the other worktrees of the project, too; default patterns do not. */
function protectedBy(patterns: readonly string[], place: ToolPlace, own: readonly string[]): Protected {
  const here = pathsMeant(patterns, place);
  const roots = own.length > 0 ? place.worktrees() : [];
  const elsewhere = pathsMeant(own, { roots, home: place.home });
  return {
    paths: [],
    what: (path) => path,
    fits: (path) => here(path) || (roots.length > 0 && elsewhere(path)),
    inside: (folder) => place.inside(folder),
  };
}

function shownPath(path: string, { roots }: ToolPlace): string {
  const root = roots.find((one) => path.startsWith(`${one}/`));
  return oneLine(root === undefined ? path : path.slice(root.length + 1), SHOWN);
}

/** Settings that make git run other programs or read other settings. */
const REDIRECTS =
  /^(?:core\.(?:hookspath|fsmonitor|sshcommand|worktree|attributesfile)|include\.path|includeif\..+|init\.templatedir)$/i;

/** Finds `git config core.hooksPath x`, which does the same as writing into .git. */
function redirectedGit({ tool, input }: ToolCall): string | undefined {
  if (tool !== 'Bash' || typeof input.command !== 'string') return undefined;
  for (const { program, args } of shellCalls(input.command)) {
    const { command, words } = gitCallOf(args);
    if (program !== 'git' || command !== 'config') continue;
    const at = words.findIndex((word) => REDIRECTS.test(word));
    const reads = words.some((word) => /^(?:--get.*|get|list|-l|--list)$/.test(word));
    if (at < 0 || reads) continue;
    const sets =
      words.length > at + 1 || words.some((word) => /^--(?:unset|replace|add)|^(?:set|unset)$/.test(word));
    if (sets) return `git config ${words[at]}`;
  }
  return undefined;
}
