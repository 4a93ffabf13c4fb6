import { type ContractFile, readContract } from '../../contract/read.ts';
import { CONTRACT_FILE, type Contract, type RunRules } from '../../core/contract/contract.ts';
import { sayDuration } from '../../core/text/duration.ts';
import { UsageError } from '../../core/text/errors.ts';
import { dropStanding, recordTrust, revokeTrust, setStanding } from '../../home/trust.ts';
import { judgeTime, warnOldHooks } from '../../hook/start/installed-hooks.ts';
import { refuseInsideClient } from '../../hook/start/person.ts';
import { claudeConfigDir } from '../../hook/wiring/project.ts';
import type { World } from '../../hook/wiring/world.ts';
import { type Freezing, freeze } from '../../judging/freeze-contract.ts';
import { resolveParts } from '../../project/facts/command-parts.ts';
import { confirm, onTerminal } from '../../terminal/print.ts';
import { modelLines, promptLines, toolLines } from './trust-lines.ts';

export interface TrustOptions {
  show: boolean;
  revoke?: boolean;
  fingerprint?: string;
}

/** Shows what a contract will run on this machine, and keeps that a person approved exactly that. */
export async function trust(
  options: TrustOptions,
  world: World,
  out: (line: string) => void,
): Promise<number> {
  if (!options.show) refuseInsideClient('trust', world.home, world.env);
  if (options.revoke) {
    revokeTrust(world.home, world.project);
    dropStanding(world.home, world.project);
    out(`Nothing of ${world.project} is approved on this machine any more.`);
    return 0;
  }
  const file = readContract(world.project);
  if (!file)
    throw new UsageError(`there is no ${CONTRACT_FILE} in ${world.project}; make one with: untildone init`);
  for (const warning of file.warnings) out(`Note: ${warning}`);
  const freezing = await freezeNow(file, world);
  const { fingerprint } = freezing.frozen;
  for (const line of whatRuns({ ...freezing, contract: file.contract }, world.project)) out(line);
  out(`Fingerprint: ${fingerprint}`);
  if (options.show) return 0;
  const approved = world.store.isTrusted(world.project, fingerprint);
  if (!approved && !(await agreed(options.fingerprint, fingerprint))) {
    out('Not approved; nothing was changed.');
    return 1;
  }
  recordTrust(world.home, world.project, fingerprint, world.clock.now());
  const frozen = {
    ...freezing.frozen,
    contractFile: file.sha256,
    judgeMs: judgeTime(world.project, claudeConfigDir(world.env)),
  };
  setStanding(world.home, world.project, { contract: file.contract, frozen });
  out(approved ? 'Approved already.' : 'Approved. Loops of this project are judged from their next stop on.');
  if (file.contract.tools) warnOldHooks(world.project, world.env, out);
  return 0;
}

interface Shown extends Freezing {
  contract: Contract;
}

export async function freezeNow(file: ContractFile, world: World): Promise<Freezing> {
  return freeze(file.contract, world.project, await world.judges(file.contract));
}

function whatRuns({ commands, contract }: Shown, project: string): string[] {
  const lines = Object.entries(commands).flatMap(([gate, list]) =>
    list.map((line) => `  ${gate}: ${visible(line)}`),
  );
  const told = contract.notify.flatMap(({ webhook, command }) => webhook ?? command ?? []);
  const rules = Object.entries(contract.run ?? {}).flatMap(([name, value]) =>
    ruleLines(name as keyof RunRules, value),
  );
  const tools = [...modelLines(contract), ...promptLines(contract.prompt), ...toolLines(contract.tools)];
  if (lines.length + told.length + rules.length + tools.length === 0)
    return ['This contract runs no commands and tells nobody.'];
  const all = Object.entries(resolveParts(project, Object.values(commands).flat()));
  // What is not there has no text; it is held fast, but there is nothing to look at.
  const parts = all.filter(([, text]) => text !== '');
  return [
    ...(lines.length > 0
      ? ['These commands will run on this machine, as you, whenever work is judged:', ...lines]
      : []),
    ...(parts.length > 0 ? ['They lean on:'] : []),
    ...parts.flatMap(([name, text]) => partLines(name, text)),
    ...(told.length > 0
      ? ['This is run or called when a loop ends:', ...told.map((t) => `  ${visible(t)}`)]
      : []),
    ...(rules.length > 0 ? ['Sessions of "untildone run" are started with:', ...rules] : []),
    ...tools.map(visible),
  ];
}

/** As `untildone.yaml` spells them. */
const RULES: Record<keyof RunRules, string> = {
  model: 'model',
  permissionMode: 'permission_mode',
  allow: 'allow',
  maxTurns: 'max_turns',
  mode: 'mode',
  freshEvery: 'fresh_every',
  idleMs: 'idle_timeout',
  sessionMs: 'session_duration',
  systemPrompt: 'system_prompt',
  client: 'client',
};

function ruleLines(name: keyof RunRules, value: RunRules[keyof RunRules]): string[] {
  if (typeof value === 'object' && !Array.isArray(value)) {
    return Object.entries(value).map(([option, v]) => visible(`  client.${option}: ${JSON.stringify(v)}`));
  }
  const isTime = typeof value === 'number' && name.endsWith('Ms');
  const text = Array.isArray(value) ? value.join(', ') : isTime ? sayDuration(value) : String(value);
  return [visible(`  ${RULES[name]}: ${text}`)];
}

const SHOWN_LINES = 40;

function partLines(name: string, text: string): string[] {
  const lines = text.trimEnd().split('\n');
  if (lines.length === 1) return [`  ${visible(name)}: ${visible(lines[0] ?? '')}`];
  const more =
    lines.length > SHOWN_LINES ? [`    ... ${lines.length - SHOWN_LINES} lines more: read the file`] : [];
  return [
    `  ${visible(name)}:`,
    ...lines.slice(0, SHOWN_LINES).map((line) => `    ${visible(line)}`),
    ...more,
  ];
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Control characters could draw something else over what is approved: they are shown, not sent to the terminal. */
function visible(text: string): string {
  return text.replace(UNSEEN, (c) => (c === '\t' ? c : `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`));
}

async function agreed(given: string | undefined, fingerprint: string): Promise<boolean> {
  if (given !== undefined) {
    if (given === fingerprint) return true;
    throw new UsageError(
      `the fingerprint is ${fingerprint}, not ${given}: something was changed; look at it again with --show`,
    );
  }
  if (!onTerminal()) {
    throw new UsageError(
      'nobody is there to ask; look with "untildone trust --show", then name what you mean: untildone trust --fingerprint HASH',
    );
  }
  return confirm('Run these whenever a loop is judged?');
}
