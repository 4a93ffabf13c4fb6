import { type ContractFile, readContract } from '../../engine/contract/read.ts';
import {
  CONTRACT_FILE,
  type Contract,
  type PromptRule,
  type RunRules,
} from '../../engine/core/contract/contract.ts';
import { secretsOf } from '../../engine/core/contract/secret-values.ts';
import { RUN_OPTIONS, type RunOption } from '../../engine/core/run/options.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { defined } from '../../engine/core/text/defined.ts';
import { sayDuration } from '../../engine/core/text/duration.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { redact } from '../../engine/core/text/redact.ts';
import { jsonLines, visible } from '../../engine/core/text/visible.ts';
import type { ToolRules } from '../../engine/core/tools/tool-rules.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { wallsWords } from '../../engine/core/words/walls.ts';
import { traitsOf } from '../../engine/gates/traits.ts';
import {
  changedSinceTrusted,
  dropStanding,
  keepTrustedText,
  recordTrust,
  revokeTrust,
  setStanding,
  type TrustedText,
  trustedText,
} from '../../engine/home/trust.ts';
import { judgeTime, warnOldHooks } from '../../engine/hook/start/installed-hooks.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { claudeConfigDir } from '../../engine/hook/wiring/project.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { asTrusted, type Freezing, freeze } from '../../engine/judging/freeze-contract.ts';
import { resolveParts, workOf } from '../../engine/project/facts/command-parts.ts';
import { renderDiff } from '../../engine/terminal/line-diff.ts';
import { confirm, onTerminal } from '../../engine/terminal/print.ts';
import { paint } from '../../engine/terminal/style.ts';

export interface TrustOptions {
  show: boolean;
  revoke?: boolean;
  fingerprint?: string;
  /** With `show`: for programs. */
  json?: boolean;
}

/** Shows what a contract will run on this machine, asks you, and remembers that you trust exactly that. */
export async function trust(
  options: TrustOptions,
  world: ProjectPorts,
  print: (line: string) => void,
): Promise<number> {
  if (options.json && !options.show)
    throw new UsageError('--json only shows a contract, it trusts none: type untildone trust --show --json');
  const said: string[] = [];
  const out = options.json ? (line: string) => void said.push(line) : print;
  if (!options.show) refuseInsideClient('trust', world.home, world.env);
  if (options.revoke) {
    revokeTrust(world.home, world.project);
    dropStanding(world.home, world.project);
    out(`No contract of ${world.project} is trusted on this machine any more.`);
    return EXIT.ok;
  }
  const file = readContract(world.project);
  if (!file)
    throw new UsageError(`there is no ${CONTRACT_FILE} in ${world.project}; make one with: untildone init`);
  const view = await viewContract(file, world);
  for (const line of view.lines) out(line);
  if (options.json) {
    const { project } = world;
    const { fingerprint, isTrusted: trusted } = view;
    for (const line of jsonLines({ project, contract: CONTRACT_FILE, fingerprint, trusted, text: said }))
      print(line);
    return EXIT.ok;
  }
  if (options.show) return EXIT.ok;
  if (!view.isTrusted && !(await agreed(options.fingerprint, view.fingerprint))) {
    out(paint('open', 'Not trusted; nothing was changed.'));
    return EXIT.no;
  }
  trustContract(view, world);
  out(
    paint('good', view.isTrusted ? 'Trusted already.' : 'Trusted.') +
      (view.isTrusted ? '' : ' Loops of this project are judged from their next stop on.'),
  );
  if (file.contract.tools) warnOldHooks(world.project, world.env, out);
  return EXIT.ok;
}

/** What a contract runs on this machine, as you are shown it. */
export interface ContractView {
  file: ContractFile;
  freezing: Freezing;
  fingerprint: string;
  isTrusted: boolean;
  texts: TrustedText;
  /** The last one names the fingerprint. */
  lines: string[];
}

/** Looks at everything that a contract runs. Runs and writes nothing. */
export async function viewContract(file: ContractFile, world: ProjectPorts): Promise<ContractView> {
  const { contract } = file;
  const freezing = await freezeNow(file, world);
  const { fingerprint } = freezing.frozen;
  const isTrusted = world.store.isTrusted(world.project, fingerprint);
  const shown = { ...freezing, contract };
  const texts: TrustedText = { contract: file.text, parts: partsIn(shown, world.project) };
  const walls = await wallsLine(contract, world);
  return {
    file,
    freezing,
    fingerprint,
    isTrusted,
    texts,
    lines: [
      ...file.warnings.map((warning) => `${paint('open', 'Note:')} ${warning}`),
      ...whatRuns(shown, world.project).map((line) => (line.startsWith(' ') ? line : paint('bold', line))),
      ...(walls === undefined ? [] : [walls]),
      ...(isTrusted ? [] : whatChanged(texts, shown, world)),
      `Fingerprint: ${fingerprint}`,
    ],
  };
}

/** Remembers that you trust exactly this. */
export function trustContract(
  { file, freezing, fingerprint, texts }: ContractView,
  world: ProjectPorts,
): void {
  recordTrust(world.home, world.project, fingerprint, world.clock.now());
  const frozen = {
    ...freezing.frozen,
    contractFile: file.sha256,
    judgeMs: judgeTime(world.project, claudeConfigDir(world.env)),
  };
  setStanding(world.home, world.project, { contract: file.contract, frozen });
  keepTrustedText(world.home, world.project, texts, secretsOf(file.contract));
}

async function wallsLine(contract: Contract, world: ProjectPorts): Promise<string | undefined> {
  const { sandbox, gates } = contract;
  const words = wallsWords(sandbox, (await world.judges(contract)).walls?.(sandbox) ?? {});
  if (words === undefined) return undefined;
  const open = Object.keys(gates).filter((name) => gates[name]?.network === true);
  const network = open.length === 0 ? '' : `; with network: ${open.map(visible).join(', ')}`;
  return `Walls around these commands: ${visible(words)}${network}`;
}

interface Shown extends Freezing {
  contract: Contract;
}

export async function freezeNow(file: ContractFile, world: ProjectPorts): Promise<Freezing> {
  const freezing = await freeze(file.contract, world.project, await world.judges(file.contract));
  return asTrusted(freezing, (project, fingerprint) => world.store.isTrusted(project, fingerprint));
}

function whatRuns(shown: Shown, project: string): string[] {
  const { commands, contract } = shown;
  const lines = Object.entries(commands).flatMap(([gate, list]) =>
    list.map((line) => `  ${gate}: ${visible(line)}`),
  );
  const told = contract.notify.flatMap(({ webhook, command }) => webhook ?? command ?? []);
  const rules = Object.entries(defined(contract.run ?? {})).flatMap(([name, value]) =>
    ruleLines(name as keyof RunRules, value),
  );
  const tools = [...modelLines(contract), ...promptLines(contract.prompt), ...toolLines(contract.tools)];
  if (lines.length + told.length + rules.length + tools.length === 0)
    return ['This contract runs no commands and notifies nobody.'];
  // A part that does not exist has no text to show. It counts for the fingerprint all the same.
  const parts = Object.entries(partsIn(shown, project)).filter(([, text]) => text !== '');
  return [
    ...(lines.length > 0
      ? ['These commands will run on this machine, as you, whenever work is judged:', ...lines]
      : []),
    ...(parts.length > 0 ? ['They use:'] : []),
    ...parts.flatMap(([name, text]) => partLines(name, text)),
    ...workLines(shown, project),
    ...(told.length > 0
      ? ['This is run, or called, when a loop ends:', ...told.map((t) => `  ${visible(t)}`)]
      : []),
    ...(rules.length > 0 ? ['Sessions of "untildone run" are started with:', ...rules] : []),
    ...tools.map(visible),
  ];
}

function partsIn({ commands, contract }: Shown, project: string): Record<string, string> {
  const found = Object.entries(commands).map(([gate, lines]) =>
    resolveParts(project, lines, { work: contract.gates[gate]?.work }),
  );
  return Object.assign({}, ...found);
}

/** Names the files that commands run and that may change, so that you can tell a check among them. */
function workLines({ commands, contract }: Shown, project: string): string[] {
  const files = Object.entries(commands).flatMap(([gate, lines]) =>
    workOf(project, lines, { work: contract.gates[gate]?.work }),
  );
  if (files.length === 0) return [];
  return [
    'They also run these files, which count as the work: the agent may change them.',
    ...[...new Set(files)].map((file) => `  ${visible(file)}`),
  ];
}

const MOST_DIFF_LINES = 200;

/** Shows what is different from what you trusted last. Nothing, when you trusted nothing here before. */
function whatChanged(now: TrustedText, shown: Shown, { home, project }: ProjectPorts): string[] {
  const names = changedSinceTrusted(home, project, shown);
  if (names.length === 0) return [];
  const before = trustedText(home, project);
  const title = `Changed since you trusted it: ${names.map(visible).join(', ')}`;
  // An older version did not keep the texts.
  if (!before) return [title];
  const pairs: [name: string, before: string | undefined, now: string | undefined][] = [
    [CONTRACT_FILE, before.contract, now.contract],
    ...[...new Set([...Object.keys(before.parts), ...Object.keys(now.parts)])].map(
      (name): [string, string | undefined, string | undefined] => [name, before.parts[name], now.parts[name]],
    ),
  ];
  const lines = pairs.flatMap(([name, then, today]) => {
    // Kept texts are without secrets, so the new ones are compared without them, too.
    const diff = renderDiff(then, today === undefined ? undefined : redact(today, secretsOf(shown.contract)));
    return diff.length === 0 ? [] : [`  ${visible(name)}`, ...diff.map((line) => `    ${visible(line)}`)];
  });
  const more = lines.length - MOST_DIFF_LINES;
  return [title, ...lines.slice(0, MOST_DIFF_LINES), ...(more > 0 ? [`    ... ${more} lines more`] : [])];
}

/** Spells a rule as `untildone.yaml` does. */
function ruleLines(name: keyof RunRules, value: RunRules[keyof RunRules]): string[] {
  // The commands of setup are shown among those that are run.
  if (name === 'setup') return [];
  if (typeof value === 'object' && !Array.isArray(value)) {
    return Object.entries(value).map(([option, v]) => visible(`  client.${option}: ${JSON.stringify(v)}`));
  }
  const option: RunOption | undefined = name === 'client' ? undefined : RUN_OPTIONS[name];
  const isTime = typeof value === 'number' && option?.value.is === 'time';
  const text = Array.isArray(value) ? value.join(', ') : isTime ? sayDuration(value) : String(value);
  return [visible(`  ${option?.contract?.key ?? name}: ${text}`)];
}

/** Shows the tool rules of a contract. */
export function toolLines(rules: ToolRules | undefined): string[] {
  if (!rules) return [];
  const { dangerous, protect, hide, deny, allow, rewrite } = rules;
  return [
    ...section('Allowed without asking, in every session of this project:', allow),
    ...section(
      'Inputs of tools are changed:',
      rewrite.map((rule) => `${rule.tool}, ${rule.field}: /${rule.pattern}/ becomes "${rule.with}"`),
    ),
    ...section('Refused:', [
      ...(dangerous ? ['commands that destroy what cannot be had back'] : []),
      ...deny.map(({ rule }) => rule),
      `changes to ${['.env*, .git, keys and the like', ...protect].join(', ')}`,
      ...(hide.length > 0 ? [`reading or changing ${hide.join(', ')}`] : []),
    ]),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

/** Shows what a contract asks models. */
export function modelLines({ gates }: Pick<Contract, 'gates'>): string[] {
  const lines = Object.entries(gates).flatMap(([name, spec]) => {
    const question = traitsOf(spec.kind).modelQuestion?.(spec.options);
    if (!question) return [];
    const { text, maxCostUsd } = question;
    const most = maxCostUsd === undefined ? '' : ` (at most ${maxCostUsd} USD each time)`;
    return [`  ${name}, ${spec.kind}: ${text}${most}`];
  });
  if (lines.length === 0) return [];
  return ['Models are asked this with your login; an agent may run commands, as you:', ...lines];
}

/** Shows what a contract does with your prompts. */
export function promptLines(rule: PromptRule | undefined): string[] {
  if (!rule) return [];
  const { gates, tell, tellFile } = rule;
  return [
    ...(gates.length > 0 ? [`A prompt is sent only when it passes: ${gates.join(', ')}`] : []),
    ...(tell === undefined ? [] : [`The model is told with every prompt: ${oneLine(tell, 500)}`]),
    ...(tellFile === undefined ? [] : [`The model is told with every prompt what is in ${tellFile}`]),
  ];
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

async function agreed(given: string | undefined, fingerprint: string): Promise<boolean> {
  if (given !== undefined) {
    if (given === fingerprint) return true;
    throw new UsageError(
      `the fingerprint is ${fingerprint}, not ${given}: something was changed; look at it again with: untildone trust --show`,
    );
  }
  if (!onTerminal()) {
    throw new UsageError(
      'there is no terminal to ask you on; look with "untildone trust --show", then name what you trust: untildone trust --fingerprint HASH',
    );
  }
  return confirm('Trust exactly this on this machine?');
}
