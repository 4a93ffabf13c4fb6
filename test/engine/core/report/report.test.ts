import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Verdict } from '../../../../src/engine/core/loop/verdict.ts';
import { type Finding, findingsOf, type Where } from '../../../../src/engine/core/report/findings.ts';
import { annotation, logLine } from '../../../../src/engine/core/report/github.ts';
import type { Report } from '../../../../src/engine/core/report/report.ts';
import { sarifOf } from '../../../../src/engine/core/report/sarif.ts';
import { summaryText } from '../../../../src/engine/core/report/summary.ts';
import { sarifProblems } from '../../../support/core/sarif.ts';

const WHERE: Where = {
  project: '/p',
  prefix: 'packages/a/',
  isFile: (path) => path === 'a.test.js',
  contract: { path: 'packages/a/untildone.yaml', lineOf: (gate) => (gate === 'tests' ? 2 : 1) },
};

const verdict = (gate: string, parts: Partial<Verdict> = {}): Verdict => ({
  gate,
  kind: 'run',
  class: 'measured',
  outcome: 'fail',
  summary: 'exit code 1',
  ...parts,
});

function reportOf(verdicts: Verdict[], parts: Partial<Report> = {}): Report {
  return {
    exitCode: 1,
    words: 'NOT done',
    verdicts,
    notJudged: [],
    findings: findingsOf(verdicts, WHERE),
    contract: { file: 'untildone.yaml', changed: [] },
    ...parts,
  };
}

/** Everything that a command, a test or a file could print. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        ...['::error::x', '##[stop-commands]t', '\n', '\r\n', '%0A', '</pre>', '<script>', '|', '`', '**b**'],
        ...[
          '[l](http://x)',
          '&lt;',
          'a.ts:1: ',
          '\u001b[31m',
          '\u202e',
          '\ud800',
          '"',
          "'",
          '\\',
          '# h',
          '- ',
        ],
      ),
    )
    .map((parts) => parts.join('')),
);

describe('findings', () => {
  test('a gate is found where the contract names it, and then the places of its evidence', () => {
    const found = findingsOf(
      [verdict('tests', { evidence: ['not ok 1 - adds', 'at x (/p/a.test.js:3:5)', 'lib/b.ts:7: bad'] })],
      WHERE,
    );
    const about = { gate: 'tests', kind: 'run', level: 'error' };
    expect(found).toEqual([
      expect.objectContaining({ ...about, path: 'packages/a/untildone.yaml', line: 2, isGate: true }),
      expect.objectContaining({
        ...about,
        path: 'packages/a/a.test.js',
        line: 3,
        column: 5,
        text: 'not ok 1 - adds',
        isGate: false,
      }),
      expect.objectContaining({ ...about, path: 'packages/a/lib/b.ts', line: 7, text: 'bad' }),
    ]);
  });
  test('of a gate that is made of others, only those that are open are named', () => {
    const all = verdict('all', {
      kind: 'all',
      children: [verdict('a', { outcome: 'pass' }), verdict('b', { outcome: 'unproven' })],
    });
    expect(findingsOf([all], WHERE)).toEqual([expect.objectContaining({ gate: 'b', level: 'warning' })]);
  });
  test('what passes or was skipped is none', () => {
    expect(findingsOf([verdict('a', { outcome: 'pass' }), verdict('b', { outcome: 'skip' })], WHERE)).toEqual(
      [],
    );
  });
  test('the same place is named once, and no gate fills the page alone', () => {
    const evidence = [
      'x.ts:1: a',
      'x.ts:1: a',
      ...Array.from({ length: 99 }, (_, at) => `y.ts:${at + 1}: b`),
    ];
    expect(findingsOf([verdict('a', { evidence })], WHERE)).toHaveLength(11);
  });
});

/** Reads a workflow command as the runner does: `::name key=value,...::data`. */
function readCommand(line: string): { name: string; properties: Record<string, string>; data: string } {
  const [, name = '', list = '', data = ''] = /^::(\w+) (.*?)::(.*)$/.exec(line) ?? [];
  const plain = (text: string) =>
    text
      .replaceAll('%3A', ':')
      .replaceAll('%2C', ',')
      .replaceAll('%0D', '\r')
      .replaceAll('%0A', '\n')
      .replaceAll('%25', '%');
  const pairs = list.split(',').map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), plain(pair.slice(at + 1))];
  });
  return { name, properties: Object.fromEntries(pairs), data };
}

test('an annotation is one command with one place, whatever the texts are', () => {
  fc.assert(
    fc.property(hostile, hostile, hostile, (path, gate, text) => {
      const finding: Finding = { gate, kind: 'run', level: 'error', path, line: 3, text, isGate: false };
      const line = annotation(finding);
      expect(line).not.toMatch(/[\r\n]/);
      const { name, properties, data } = readCommand(line);
      expect({ name, ...properties }).toEqual({ name: 'error', file: path, line: '3', title: gate });
      expect(data.replaceAll('%25', '').replaceAll('%0D', '').replaceAll('%0A', '')).not.toContain('%');
    }),
  );
});

test('no line of the log is a command', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const line = logLine(`pass: ${text}`);
      expect(line).not.toMatch(/[\r\n]/);
      expect(line).not.toContain('##[');
    }),
  );
});

describe('the summary', () => {
  test('says the result, every gate, and what is open', () => {
    const said = summaryText(
      reportOf(
        [verdict('tests', { evidence: ['src/a.ts:3: wrong'] }), verdict('lint', { outcome: 'pass' })],
        {
          notJudged: [{ gate: 'intact', reason: 'nothing to compare' }],
        },
      ),
    );
    expect(said).toMatch(/^## ❌ untildone: NOT done\n/);
    expect(said).toContain('| ❌ fail | tests | measured | exit code 1 |');
    expect(said).toContain('| ✅ pass | lint | measured | exit code 1 |');
    expect(said).toContain('<pre>exit code 1\nsrc/a.ts:3: wrong</pre>');
    expect(said).toContain('- not judged: **intact**: nothing to compare');
  });
  test.each([
    [0, '✅ untildone: done'],
    [2, '⚠️ untildone: could not be judged'],
  ])('with exit code %i', (exitCode, head) => {
    expect(summaryText(reportOf([], { exitCode }))).toContain(`## ${head}\n`);
  });
  test('names the contract that counted, and shows what was changed', () => {
    const contract = {
      file: 'untildone.yaml',
      from: { name: 'origin/main', commit: 'a'.repeat(40) },
      changed: [
        { name: 'untildone.yaml', diff: ['-  tests: { run: npm test }'] },
        { name: 'package.json scripts.test', diff: ['-node --test', '+true'] },
      ],
    };
    const said = summaryText(reportOf([], { contract })).replace(/&#(\d+);/g, (_, code) =>
      String.fromCharCode(Number(code)),
    );
    expect(said).toContain(
      '> ⚠️ untildone.yaml is changed here. The work was judged by the contract of origin/main;',
    );
    expect(said).toContain('the changed form was run: package.json scripts.test');
    expect(said).toContain('<pre>-node --test\n+true</pre>');
    expect(said).toContain('Judged by untildone.yaml of origin/main (aaaaaaaaaaaa).');
  });
  test('texts of others format nothing', () => {
    fc.assert(
      fc.property(hostile, hostile, (name, text) => {
        const evidence = [text];
        const said = summaryText(reportOf([verdict(name, { summary: text, evidence })], { words: text }));
        const preformatted = /<pre>[^<>]*<\/pre>/g;
        expect(said.match(preformatted)).toHaveLength(1);
        const rest = said.replace(preformatted, '').replace(/<\/?(?:details|summary)>/g, '');
        expect(rest).not.toMatch(/[<`*[\]\\]/);
        expect(rest.split('\n').filter((line) => line.startsWith('|'))).toHaveLength(3);
      }),
    );
  });
  test('is never too long for GitHub', () => {
    const many = Array.from({ length: 500 }, (_, at) =>
      verdict(`g${at}`, { evidence: Array.from({ length: 60 }, () => 'x'.repeat(1000)) }),
    );
    const said = summaryText(reportOf(many));
    expect(said.length).toBeLessThan(250_000);
    expect(said).toContain('too long to be shown here');
  });
});

describe('SARIF', () => {
  test('has a rule for each gate and a result for each finding', () => {
    const log = sarifOf(
      reportOf([
        verdict('tests', { evidence: ['odd name#1.ts:3:5: wrong', 'a%b/c?.ts:4: x'] }),
        verdict('lint', { outcome: 'pass' }),
      ]),
      '1.2.3',
    );
    expect(sarifProblems(log)).toEqual([]);
    expect(log).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'untildone', version: '1.2.3', rules: [{ id: 'tests' }, { id: 'lint' }] } },
          invocations: [{ executionSuccessful: true, exitCode: 1 }],
          results: [
            { ruleId: 'tests', ruleIndex: 0, level: 'error' },
            {
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'packages/a/a%25b/c%3F.ts' },
                    region: { startLine: 4 },
                  },
                },
              ],
            },
          ],
        },
      ],
    });
  });
  test('follows the rules of the format, whatever the texts are', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, fc.nat(3), (gate, path, text, line) => {
        const finding: Finding = {
          gate,
          kind: 'run',
          level: 'warning',
          path,
          line,
          column: line,
          text,
          isGate: false,
        };
        expect(sarifProblems(sarifOf(reportOf([], { words: text, findings: [finding] }), '1.0.0'))).toEqual(
          [],
        );
      }),
    );
  });
  test('a checker that finds nothing would be of no use', () => {
    const log = sarifOf(reportOf([verdict('tests')]), '1.2.3') as {
      runs: [{ results: [Record<string, unknown>] }];
    };
    log.runs[0].results[0].level = 'fatal';
    log.runs[0].results[0].ruleIndex = 7;
    delete log.runs[0].results[0].message;
    expect(sarifProblems(log)).toHaveLength(3);
  });
});

test('what a gate that passes has noted, and what a person allowed, is a warning at its place and stands in the summary', () => {
  const notes = ['a.test.js:3 "adds" has 1 assertion, it had 2 [assertions:a.test.js:adds]', 'one went'];
  const exceptions = ['a.test.js:9 added .skip to "b" [skip:a.test.js:b]'];
  const passing = verdict('intact', { outcome: 'pass', kind: 'tests_intact', notes, exceptions });
  const report = reportOf([verdict('ready', { outcome: 'pass', children: [passing] })], { exitCode: 0 });
  expect(report.findings.map(({ level, path, line }) => [level, path, line])).toEqual([
    ['warning', 'packages/a/a.test.js', 9],
    ['warning', 'packages/a/a.test.js', 3],
    ['warning', 'packages/a/untildone.yaml', 1],
  ]);
  expect(report.findings.map(annotation)[0]).toMatch(/^::warning file=packages\/a\/a\.test\.js,line=9,/);
  expect(summaryText(report)).toContain('intact&#44; noted');
  expect(summaryText(report)).toContain('allowed by a person: a.test.js:9 added .skip');
  expect(reportOf([verdict('quiet', { outcome: 'pass' })]).findings).toEqual([]);
});
