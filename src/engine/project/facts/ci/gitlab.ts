/** What `.gitlab-ci.yml` runs. */
import type { CiStep } from '../../../core/contract/project-facts.ts';
import { mapOf } from '../json.ts';
import { type CiFile, type FoundCi, listOf, parsedYaml } from './github.ts';

/** Keys of the root that are no jobs. */
const NO_JOBS = new Set([
  'default',
  'image',
  'services',
  'stages',
  'variables',
  'cache',
  'before_script',
  'after_script',
  'include',
  'workflow',
  'pages',
  'spec',
]);
const GIVES_AWAY = /publish|deploy|release|upload|pages/i;

export function gitlabCi({ path, text }: CiFile): FoundCi {
  const file = mapOf(parsedYaml(text));
  const jobs = Object.entries(file).filter(([name]) => !NO_JOBS.has(name) && !name.startsWith('.'));
  const steps = jobs.flatMap(([name, value]): CiStep[] => {
    const job = extended(mapOf(value), file, 0);
    const script = linesOf(job.script);
    if (script.length === 0 || GIVES_AWAY.test(`${name} ${String(job.stage ?? '')}`)) return [];
    const services = listOf(job.services ?? file.services);
    const env = plainOnly({ ...mapOf(file.variables), ...mapOf(job.variables) });
    const before = linesOf(job.before_script ?? mapOf(file.default).before_script ?? file.before_script);
    return [
      {
        run: [...before, ...script].join('\n'),
        where: `${path}, job ${name}`,
        ...(Object.keys(env).length > 0 ? { env } : {}),
        ...(services.length > 0 ? { needs: 'a service' } : {}),
      },
    ];
  });
  return { steps, versions: [] };
}

const DEEPEST = 4;

function extended(
  job: Record<string, unknown>,
  file: Record<string, unknown>,
  depth: number,
): Record<string, unknown> {
  const [first] = Array.isArray(job.extends) ? job.extends : [job.extends];
  if (typeof first !== 'string' || depth >= DEEPEST) return job;
  return { ...extended(mapOf(file[first]), file, depth + 1), ...job };
}

function linesOf(script: unknown): string[] {
  if (typeof script === 'string') return [script];
  return listOf(script)
    .flat()
    .filter((line): line is string => typeof line === 'string');
}

const TAKEN = /^(?:TZ|LANG|LANGUAGE|LC_\w+|NODE_ENV|RAILS_ENV|APP_ENV|MIX_ENV|FORCE_COLOR|NO_COLOR)$/;

function plainOnly(variables: Record<string, unknown>): Record<string, string> {
  const plain = Object.entries(variables).filter(
    ([name, value]) => TAKEN.test(name) && typeof value === 'string',
  );
  return Object.fromEntries(plain) as Record<string, string>;
}
