import type { ConfigReader, Guard } from './config.ts';

const FILES =
  /(^|\/)(package\.json|jest\.config\.\w+|vite(st)?\.config\.\w+|vitest\.workspace\.\w+|\.nycrc(\.\w+)?|nyc\.config\.\w+|\.c8rc(\.\w+)?|pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|\.coveragerc|\.?codecov\.ya?ml|pom\.xml|build\.gradle(\.kts)?|Makefile|justfile|tarpaulin\.toml|noxfile\.py)$|(^|\/)\.github\/workflows\/[^/]+$|(^|\/)\.gitlab-ci\.yml$/;

/** How much has to be covered. */
export const coverage: ConfigReader = {
  id: 'coverage',
  reads: (path) => FILES.test(path),
  guards(text, path) {
    return numbered([...thresholdsIn(text, path), ...namedNumbers(text)]);
  },
};

const BLOCK = /["']?(?:coverageThreshold|thresholds?|coverage|nyc|c8)["']?\s*:\s*\{/g;
const MEASURE = /["']?\b(lines|branches|functions|statements)["']?\s*:\s*(-?\d+(?:\.\d+)?)/g;

/** Jest, Vitest, nyc and c8 count lines, branches, functions and statements. */
function thresholdsIn(text: string, path: string): Guard[] {
  const whole = /(nyc|c8)/.test(path);
  const blocks = whole ? [text] : outermost(text);
  return blocks.flatMap((block) =>
    [...block.matchAll(MEASURE)].map(([, measure = '', value]) => ({
      key: measure,
      text: `the coverage of ${measure}`,
      value: Number(value),
    })),
  );
}

/** The blocks that may hold thresholds, none inside another. */
function outermost(text: string): string[] {
  const blocks: string[] = [];
  let end = 0;
  for (const match of text.matchAll(BLOCK)) {
    if (match.index < end) continue;
    let depth = 0;
    let at = match.index + match[0].length - 1;
    for (; at < text.length; at++) {
      if (text[at] === '{') depth++;
      else if (text[at] === '}' && --depth === 0) break;
    }
    end = at;
    blocks.push(text.slice(match.index, end));
  }
  return blocks;
}

const NUMBERS: readonly (readonly [name: string, expression: RegExp])[] = [
  ['fail_under', /\bfail_under\s*[=:]\s*(\d+(?:\.\d+)?)/g],
  ['cov-fail-under', /--cov-fail-under[= ](\d+(?:\.\d+)?)/g],
  ['fail-under', /(?<!cov-)\bfail-under(?:-\w+)?["']?\s*[= ]\s*(\d+(?:\.\d+)?)/g],
  ['minimum', /(?:<minimum>|\bminimum\s*=\s*)(\d+(?:\.\d+)?)/g],
  ['target', /^[ \t]*target:[ \t]*(\d+(?:\.\d+)?)%?[ \t]*$/gm],
];

function namedNumbers(text: string): Guard[] {
  return NUMBERS.flatMap(([key, expression]) =>
    [...text.matchAll(expression)].map(([, value]) => ({
      key,
      text: `the coverage ${key}`,
      value: Number(value),
    })),
  );
}

/** The second `lines` of a file is not its first. */
function numbered(guards: readonly Guard[]): Guard[] {
  const seen = new Map<string, number>();
  return guards.map((guard) => {
    const times = (seen.get(guard.key) ?? 0) + 1;
    seen.set(guard.key, times);
    return times === 1 ? guard : { ...guard, key: `${guard.key}#${times}` };
  });
}
