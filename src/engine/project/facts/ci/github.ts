/** What the workflows of GitHub run. They are data: nothing of them is executed. */
import { parse } from 'yaml';
import type { CiStep, NamedVersion } from '../../../core/contract/project-facts.ts';
import { mapOf } from '../json.ts';
import { filledIn, type Names, namesIn } from './expressions.ts';

export interface CiFile {
  path: string;
  text: string;
}

export interface FoundCi {
  steps: CiStep[];
  versions: NamedVersion[];
}

const MOST_STEPS = 200;
/** More values of a matrix are versions of something, not other commands. */
const MOST_VALUES = 8;

/** Jobs whose name says that they give something away. */
const GIVES_AWAY = /publish|deploy|release|upload|docker|pages|sign|notify|announce/i;

export function githubCi({ path, text }: CiFile): FoundCi {
  const workflow = mapOf(parsedYaml(text));
  if (!runsOnChanges(workflow.on ?? workflow.true)) return { steps: [], versions: [] };
  const found: FoundCi = { steps: [], versions: [] };
  for (const [name, value] of Object.entries(mapOf(workflow.jobs))) {
    const job = mapOf(value);
    if (GIVES_AWAY.test(name) || isElsewhere(job)) continue;
    const where = `${path}, job ${name}`;
    const around = { workflow, job, where, needs: whatJobNeeds(job) };
    for (const one of listOf(job.steps)) {
      const step = mapOf(one);
      if (typeof step.run === 'string') found.steps.push(...stepsOf(step, around));
      else found.versions.push(...versionsOf(step, path));
    }
  }
  return { ...found, steps: found.steps.slice(0, MOST_STEPS) };
}

/** A text of YAML that is none, or that holds far too much, says nothing. */
export function parsedYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100, logLevel: 'silent' });
  } catch {
    return undefined;
  }
}

/** Workflows of releases and of timers do not judge changes. `on` may be a word, a list or a map. */
function runsOnChanges(on: unknown): boolean {
  const events = typeof on === 'string' ? [on] : Array.isArray(on) ? on : Object.keys(mapOf(on));
  if (events.includes('pull_request') || events.includes('merge_group')) return true;
  if (!events.includes('push')) return false;
  const push = mapOf(mapOf(on).push);
  return !('tags' in push) || 'branches' in push;
}

/** Jobs for other systems than the one that most people judge on. */
function isElsewhere(job: Record<string, unknown>): boolean {
  const on = job['runs-on'];
  return typeof on === 'string' && /^(?:windows|macos)/.test(on);
}

function whatJobNeeds(job: Record<string, unknown>): string | undefined {
  const services = Object.keys(mapOf(job.services));
  if (services.length > 0) return `the service ${services.join(', ')}`;
  const uses = listOf(job.steps).map((step) => String(mapOf(step).uses ?? ''));
  return uses.some((one) => one.startsWith('actions/download-artifact'))
    ? 'what another job made'
    : undefined;
}

interface Around {
  workflow: Record<string, unknown>;
  job: Record<string, unknown>;
  where: string;
  needs: string | undefined;
}

/** A step once for each choice of the matrix that changes what it runs. */
function stepsOf(step: Record<string, unknown>, { workflow, job, where, needs }: Around): CiStep[] {
  const run = String(step.run);
  const env = { ...mapOf(workflow.env), ...mapOf(job.env), ...mapOf(step.env) };
  const condition = typeof step.if === 'string' ? step.if : '';
  if (
    /runner\.os\s*==\s*'(?:Windows|macOS)'|(?:windows|macos)-latest'\s*$|always\(\)|failure\(\)/.test(
      condition,
    ) &&
    !/!=/.test(condition)
  )
    return [];
  const secret = Object.entries(mapOf(step.env)).some(([, value]) => /\bsecrets\./.test(String(value)));
  const isSecret = secret || /\bsecrets\.|github\.token/.test(run);
  const cwd = step['working-directory'] ?? mapOf(mapOf(job.defaults).run)['working-directory'];
  const given = withEnv(env);
  const plumbing = new Set(
    [...JSON.stringify(job).matchAll(/\$\{?([A-Za-z_]\w*)|\benv\.(\w+)/g)].map(([, a, b]) => a ?? b),
  );
  const shown = Object.fromEntries(Object.entries(env).filter(([name]) => !plumbing.has(name)));
  return choicesFor(run, job).flatMap((choice) => {
    const names = { ...choice, ...given };
    const filled = filledIn(run, names)?.replace(
      /\$\{?([A-Za-z_]\w*)\}?/g,
      (whole, name: string) => given[`env.${name}`] ?? whole,
    );
    const needed = isSecret ? 'a secret' : filled === undefined ? 'a value that only CI knows' : needs;
    return [
      {
        run: filled ?? run,
        where,
        ...(typeof cwd === 'string' && cwd !== '.'
          ? { cwd: cwd.replace(/^\.\//, '').replace(/\/$/, '') }
          : {}),
        ...staticEnv(shown, names),
        ...(needed === undefined ? {} : { needs: needed }),
      },
    ];
  });
}

function withEnv(env: Record<string, unknown>): Names {
  const known = Object.entries(env).flatMap(([name, value]) =>
    value === null ||
    (['string', 'number', 'boolean'].includes(typeof value) && !String(value).includes('${{'))
      ? [[`env.${name}`, String(value ?? '')]]
      : [],
  );
  return Object.fromEntries(known);
}

/** Variables of CI itself, and those that may be secrets or make programs load other code. */
const NOT_TAKEN =
  /^(?:GITHUB_.*|ACTIONS_.*|RUNNER_.*|CI|PATH|HOME|BASH_ENV|ENV|LD_.*|DYLD_.*|NODE_OPTIONS|PYTHON(?:PATH|HOME|STARTUP)|RUBYOPT|PERL5OPT|JAVA_TOOL_OPTIONS|GOFLAGS|CARGO.*|RUST(?:DOC)?FLAGS|MIRI.*|FORCE_COLOR|NO_COLOR|PY_COLORS|TERM|DEBIAN_FRONTEND|CIBW_.*|PIP_.*|UV_.*|POETRY_.*|COVERALLS.*|CODECOV.*|TOX_.*|.*_VERSION|.*(?:TOKEN|SECRET|PASSW|KEY|CREDENTIAL|AUTH).*|npm_config_.*|.*CACHE.*)$/i;
const MOST_VARIABLES = 8;

function staticEnv(env: Record<string, unknown>, names: Names): { env?: Record<string, string> } {
  const entries = Object.entries(env).flatMap(([name, value]) => {
    if (!/^[A-Za-z_]\w*$/.test(name) || NOT_TAKEN.test(name) || value === null || typeof value === 'object')
      return [];
    const text = filledIn(String(value), names);
    return text === undefined || text.length > 200 || /[\n\0$`]/.test(text) ? [] : [[name, text]];
  });
  return entries.length === 0 ? {} : { env: Object.fromEntries(entries.slice(0, MOST_VARIABLES)) };
}

/** The values of the matrix that a text asks for. Names of versions and systems have one value: their first. */
function choicesFor(text: string, job: Record<string, unknown>): Names[] {
  const matrix = mapOf(mapOf(job.strategy).matrix);
  const asked = namesIn(text).filter((name) => name.startsWith('matrix.'));
  if (asked.length === 0) return [{}];
  const included = listOf(matrix.include).map(namesOfMatrix);
  const listed = Object.entries(matrix).filter(([name]) => name !== 'include' && name !== 'exclude');
  let choices: Names[] = [{}];
  for (const [name, values] of listed) {
    const key = `matrix.${name}`;
    const all = listOf(values).filter((value) => typeof value !== 'object');
    const some = asked.includes(key) && !isVersionName(name) ? all.slice(0, MOST_VALUES) : all.slice(0, 1);
    if (some.length > 0)
      choices = choices.flatMap((choice) => some.map((value) => ({ ...choice, [key]: String(value) })));
  }
  const own = included.filter((names) => asked.some((name) => name in names));
  // What only some choices have is empty in the others.
  const empty = Object.fromEntries(included.flatMap((names) => Object.keys(names).map((name) => [name, ''])));
  choices = choices.map((choice) => ({ ...empty, ...choice }));
  const base = choices[0] ?? {};
  // What a matrix only includes are its choices; beside lists they come after these.
  const all = listed.length > 0 && asked.every((name) => name in base) ? choices : [];
  return distinct([...all, ...own.map((names) => ({ ...base, ...names }))], asked).slice(0, MOST_VALUES);
}

function isVersionName(name: string): boolean {
  return /version|^(?:os|node|python|go|rust|ruby|java|php|toolchain|target|arch|platform|runner)$/i.test(
    name,
  );
}

function namesOfMatrix(value: unknown): Names {
  const entries = Object.entries(mapOf(value)).filter(([, one]) => typeof one !== 'object');
  return Object.fromEntries(entries.map(([name, one]) => [`matrix.${name}`, String(one)]));
}

function distinct(choices: readonly Names[], asked: readonly string[]): Names[] {
  const seen = new Map(
    choices.map((choice) => [asked.map((name) => choice[name]).join('\0'), choice]).reverse() as [
      string,
      Names,
    ][],
  );
  return [...seen.values()].reverse();
}

/** The actions that install a tool, by what they install and the key of its version. */
const SETS_UP: readonly (readonly [RegExp, NamedVersion['tool'], string])[] = [
  [/^actions\/setup-node@/, 'node', 'node-version'],
  [/^actions\/setup-python@/, 'python', 'python-version'],
  [/^actions\/setup-go@/, 'go', 'go-version'],
  [/^actions\/setup-java@/, 'java', 'java-version'],
  [/^ruby\/setup-ruby@/, 'ruby', 'ruby-version'],
  [/^shivammathur\/setup-php@/, 'php', 'php-version'],
  [/^(?:dtolnay|actions-rs|actions-rust-lang)\/[\w-]*toolchain@/, 'rust', 'toolchain'],
  [/^pnpm\/action-setup@/, 'pnpm', 'version'],
  [/^oven-sh\/setup-bun@/, 'bun', 'bun-version'],
];

function versionsOf(step: Record<string, unknown>, where: string): NamedVersion[] {
  const uses = String(step.uses ?? '');
  return SETS_UP.flatMap(([action, tool, key]) => {
    const version = action.test(uses) ? mapOf(step.with)[key] : undefined;
    const isPlain = typeof version === 'string' || typeof version === 'number';
    return isPlain && !String(version).includes('${{') ? [{ tool, version: String(version), where }] : [];
  });
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
