// What an allowed tool call does not need is kept out of `tool.cjs`, and what a held Stop does not need out of `hook.cjs` (ADR 47, 48). The
// functions listed here lie in other bundles. In those two each of them is a call that loads its bundle first. Nothing changes in
// the sources, nor in any other bundle.
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What entries of runs do to the state of a loop. */
const OF_RUNS = {
  'src/engine/core/run/children.ts': ['advanceChildren'],
  'src/engine/core/run/entries.ts': [
    'advanceIntent',
    'advanceMoved',
    'advanceResult',
    'deniedIn',
    'takenUp',
    'waitingForApi',
  ],
  'src/engine/core/run/reopen.ts': ['reopened'],
};

/**
 * By bundle and file. Only functions, because a call can be put off and a value cannot. The bundles share nothing at run time, so
 * what keeps something in memory, as the store does, stays in `tool.cjs`.
 */
const TOOL = {
  // The tool rules of a contract, and patterns in the words of a command.
  'tool-rules': {
    'src/engine/hook/wiring/session-tools.ts': ['openTools'],
    'src/engine/core/text/wildcards.ts': ['shellWildcards', 'wildcardMatcher'],
  },
  // Everything else that is rare at a tool call.
  'tool-rest': {
    'src/engine/hook/doubtful.ts': ['answerDoubtful', 'heldUnjudged'],
    'src/engine/hook/wiring/transcripts.ts': ['transcriptsHere'],
    'src/engine/hook/guard/ask-person.ts': ['askPerson'],
    'src/engine/client/settings/our-plugin.ts': ['isStartedByPlugin'],
    'src/engine/client/settings/settings-problem.ts': ['settingsProblem'],
    ...OF_RUNS,
    'src/engine/core/loop/asked.ts': ['advanceAsked', 'openWords'],
    'src/engine/core/loop/count-stop.ts': ['applyDecision', 'gateLines', 'observe'],
    'src/engine/core/loop/excuses.ts': ['withExcuses'],
    'src/engine/core/loop/subagent-usage.ts': ['countAgents'],
    'src/engine/core/loop/subagents.ts': [
      'agentBegun',
      'agentGuarded',
      'agentLeft',
      'agentsAtStop',
      'agentsTold',
    ],
    'src/engine/core/text/redact.ts': ['redact'],
    'src/engine/home/active-loops.ts': ['activeLoops', 'recordLoop'],
    'src/engine/home/fallback-counts.ts': ['fallbackCounts'],
    'src/engine/home/journal/started-entry.ts': ['startedEntry'],
    'src/engine/home/lessons/files.ts': ['learnFromEnd', 'lessonsFor'],
    'src/engine/home/verdicts.ts': ['verdictCache'],
    'src/engine/gates/traits.ts': ['measures'],
    'src/engine/judging/judge-loop.ts': ['judgedLoop'],
    'src/engine/project/files.ts': ['applyChanges'],
  },
};

/** What a Stop that is held does not need, in a loop of ours or of a foreign format. */
const HOOK = {
  // How a loop ends, what other events do to it, runs, and what is done when something is wrong.
  'hook-rest': {
    'src/engine/client/hooks/wake-up.ts': ['isDueWithin'],
    'src/engine/core/loop/asked.ts': ['advanceAsked', 'openWords'],
    'src/engine/core/loop/receipt.ts': ['makeReceipt'],
    'src/engine/core/loop/since-start.ts': ['nothingWasMeasured'],
    'src/engine/core/loop/subagents.ts': ['agentBegun', 'agentGuarded', 'agentLeft'],
    'src/engine/core/proof/ladder.ts': ['evidenceOf', 'ladderOf', 'restsOn'],
    ...OF_RUNS,
    'src/engine/core/text/globs.ts': ['pathMatcher'],
    'src/engine/core/words/brief.ts': ['handOverReason'],
    'src/engine/core/words/endings.ts': [
      'endingMessage',
      'endingNotice',
      'notificationsFor',
      'questionMessage',
      'questionNotice',
    ],
    'src/engine/home/active-loops.ts': ['activeLoops', 'recordLoop'],
    'src/engine/home/journal/started-entry.ts': ['startedEntry'],
    'src/engine/home/lessons/files.ts': ['learnFromEnd', 'lessonsFor'],
    'src/engine/hook/doubtful.ts': ['answerDoubtful', 'heldUnjudged'],
  },
};

/** What events do not need beside a foreign state that was taken up. What a format means lies in a bundle of its own. */
const FORMATS = {
  'format-ralph-loop': { 'src/engine/formats/ralph-loop/reading.ts': ['readingOf'] },
  'format-feature-list': { 'src/engine/formats/feature-list/reading.ts': ['readFolder'] },
  'format-verified-done': {
    'src/engine/formats/verified-done/reading.ts': ['readFolder'],
    'src/engine/project/trees/project-git.ts': ['gitIn'],
  },
  'format-lock': {
    'src/engine/client/transcript/tool-calls.ts': ['readToolCalls'],
    'src/engine/formats/lock/reading.ts': ['loopOf'],
    'src/engine/formats/lock/observed.ts': ['observeInProject'],
  },
  // How a loop begins, and where its state was damaged.
  'formats-rest': {
    'src/engine/formats/take-up/baseline.ts': ['keepBaseline'],
    'src/engine/formats/take-up/take-up-loop.ts': ['damagedLoop', 'takeUp'],
    'src/engine/hook/start/inputs.ts': ['newLoopId', 'transcriptUntilNow'],
    'src/engine/hook/wiring/mark-reflection.ts': ['markReflection'],
    'src/engine/judging/freeze-contract.ts': ['freeze'],
  },
};

/** By the bundle that loads them. */
export const LATER = { tool: TOOL, hook: HOOK, formats: FORMATS };

/** The bundles that are loaded later. */
export const LATER_BUNDLES = Object.values(LATER).flatMap((bundles) => Object.keys(bundles));

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** What a function is called in the other bundle: two files may have functions of the same name. */
const exportName = (file, name) => `${file.replace(/\W/g, '_')}_${name}`;

/** The source of one of the other bundles. */
export function laterSource(bundle) {
  const files = Object.values(LATER).find((bundles) => Object.hasOwn(bundles, bundle))?.[bundle] ?? {};
  return Object.entries(files)
    .map(([file, names]) => {
      const renamed = names.map((name) => `${name} as ${exportName(file, name)}`);
      return `export { ${renamed.join(', ')} } from './${file}';`;
    })
    .join('\n');
}

/** Where the functions of a file are put off to; undefined for a file that stays. */
function laterOf(path, main) {
  const file = path.slice(ROOT.length + 1);
  const found = Object.entries(LATER[main]).find(([, files]) => Object.hasOwn(files, file));
  return found && { file, bundle: found[0], names: found[1][file] };
}

/** For esbuild: puts the functions off that are listed for this bundle. */
export const putOff = (main) => ({
  name: 'put-off',
  setup(build) {
    // No file of ours does anything when it is imported, so one of which nothing is used is left out.
    const sideEffects = false;
    build.onResolve({ filter: /\?now$/ }, ({ path }) => ({
      path: path.slice(0, -'?now'.length),
      sideEffects,
    }));
    build.onResolve({ filter: /^\..*\.ts$/ }, ({ path, resolveDir, kind }) => {
      if (kind === 'entry-point') return undefined;
      const file = resolve(resolveDir, path);
      return laterOf(file, main)
        ? { path: file, namespace: 'later', sideEffects }
        : { path: file, sideEffects };
    });
    build.onLoad({ filter: /.*/, namespace: 'later' }, ({ path }) => {
      const { file, bundle, names } = laterOf(path, main);
      const calls = names.map(
        (name) => `export function ${name}(...given) { return load().${exportName(file, name)}(...given); }`,
      );
      const contents = [
        `import { load } from ${JSON.stringify(`load ${bundle}`)};`,
        `export * from ${JSON.stringify(`${path}?now`)};`,
        ...calls,
      ].join('\n');
      return { contents, resolveDir: dirname(path), loader: 'js' };
    });
    build.onResolve({ filter: /^load / }, ({ path }) => ({
      path: path.slice('load '.length),
      namespace: 'load',
    }));
    build.onLoad({ filter: /.*/, namespace: 'load' }, ({ path }) => ({
      contents: loading(path),
      loader: 'js',
    }));
  },
});

/** A bundle may be gone in the middle of an update. */
function loading(bundle) {
  return `
export function load() {
  try {
    return require('./${bundle}.cjs');
  } catch (cause) {
    const [why] = String(cause?.message).split('\\n');
    throw new Error('a part of untildone cannot be loaded (' + why + '): install untildone again', { cause });
  }
}`;
}
