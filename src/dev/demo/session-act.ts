/** The demo of a loop inside one session of the client. */
import { type ClientEnd, runClient } from '../../adapters/client-process.ts';
import { type Happening, parseStreamLine } from '../../wire/client-stream.ts';
import { checksOf, type Evidence } from './checks.ts';
import type { Act, DemoOptions, Stage } from './perform.ts';
import { showLog, showStatus } from './record.ts';
import { realEnvironment, simulatedEnvironment } from './scratch.ts';
import { STORY } from './story.ts';

const LIMIT_MS = { scripted: 60_000, real: 600_000 };
const BUDGET_USD = '1';

export function sessionAct(options: DemoOptions): Act<Evidence> {
  return {
    story: STORY,
    hooks: true,
    checks: checksOf(STORY),
    next: 'untildone install',
    play: (stage) => play(options, stage),
    show: async (scratch, view) => {
      showStatus(scratch, view);
      await showLog(scratch, view);
    },
  };
}

async function play(options: DemoOptions, stage: Stage): Promise<Pick<Evidence, 'client'>> {
  const { view, interrupted } = stage;
  const seen: Happening[] = [];
  view.say('you', STORY.prompt);
  const end = await runSession(options, stage, (happening) => {
    seen.push(happening);
    view.show(happening);
  });
  if (end.code !== 0 && !interrupted.aborted) view.say('demo', failureInWords(end));
  return { client: { code: end.code, ...endOf(seen) } };
}

function runSession(
  options: DemoOptions,
  { scratch, simulator, interrupted }: Stage,
  onHappening: (happening: Happening) => void,
): Promise<ClientEnd> {
  return runClient({
    binary: options.claude,
    args: argumentsOf(options),
    cwd: scratch.project,
    environment: simulator
      ? simulatedEnvironment(scratch, simulator.url)
      : realEnvironment(scratch, process.env),
    prompt: STORY.prompt,
    onLine: (line) => parseStreamLine(line).forEach(onHappening),
    signal: interrupted,
    limitMs: options.real ? LIMIT_MS.real : LIMIT_MS.scripted,
  });
}

/** The agent may edit the project and run the two commands of the story, nothing else. */
function argumentsOf({ real }: DemoOptions): string[] {
  return [
    ...['-p', '--output-format', 'stream-json', '--verbose', '--permission-mode', 'acceptEdits'],
    ...['--allowedTools', 'Bash(untildone start:*)', `Bash(${STORY.test}:*)`],
    ...(real ? ['--no-session-persistence', '--max-budget-usd', BUDGET_USD] : ['--model', 'claude-opus-5-5']),
  ];
}

function failureInWords({ code, timedOut, stderr }: ClientEnd): string {
  if (timedOut) return 'Claude Code took too long and was ended';
  return `Claude Code ended ${code === null ? 'early' : `with exit code ${code}`}: ${stderr || 'it did not say why'}`;
}

function endOf(seen: readonly Happening[]): Pick<Evidence['client'], 'session' | 'failed'> {
  const began = seen.find((happening) => happening.kind === 'began');
  const finished = seen.findLast((happening) => happening.kind === 'finished');
  return { session: began?.session, failed: finished?.failed ?? true };
}
