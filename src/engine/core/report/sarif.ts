import { fingerprint, withoutVolatileParts } from '../loop/verdict.ts';
import { keepShort } from '../text/clip.ts';
import { visibleText } from '../text/visible.ts';
import type { Finding } from './findings.ts';
import type { Report } from './report.ts';

/** A report as SARIF 2.1.0, the format in which checkers tell code hosts and editors what they found. */

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
const LONGEST_TEXT = 4_000;

export function sarifOf({ exitCode, words, verdicts, findings }: Report, version: string): object {
  const open = new Map(findings.map(({ gate, kind }) => [nameOf(gate), kind]));
  for (const { gate, kind } of verdicts) if (!open.has(nameOf(gate))) open.set(nameOf(gate), kind);
  const rules = [...open].map(([id, kind]) => ({
    id,
    shortDescription: { text: visibleText(`gate ${id} (${kind})`) },
    properties: { kind },
  }));
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'untildone', version, informationUri: 'https://untildone.dev', rules } },
        automationDetails: { id: 'untildone/' },
        columnKind: 'utf16CodeUnits',
        // Whether the tool could do its work, not whether the work is done.
        invocations: [
          { executionSuccessful: exitCode !== 2, exitCode, exitCodeDescription: visibleText(words) },
        ],
        results: findings.map((finding) => resultOf(finding, [...open.keys()])),
      },
    ],
  };
}

function resultOf(finding: Finding, rules: readonly string[]): object {
  const { gate, level, path, line, column, text } = finding;
  const region =
    line === undefined || line < 1
      ? {}
      : {
          region: { startLine: line, ...(column === undefined || column < 1 ? {} : { startColumn: column }) },
        };
  return {
    ruleId: nameOf(gate),
    ruleIndex: rules.indexOf(nameOf(gate)),
    level,
    message: { text: keepShort(visibleText(text), LONGEST_TEXT) || 'no text' },
    locations: [
      { physicalLocation: { artifactLocation: { uri: uriOf(path), uriBaseId: '%SRCROOT%' }, ...region } },
    ],
    partialFingerprints: {
      'untildone/v1': fingerprint(withoutVolatileParts(`${gate}\n${path}\n${text}`)),
    },
  };
}

/** A relative reference. A first part with a colon would pass for a scheme; encoding takes that away, too. */
function uriOf(path: string): string {
  return path.split('/').map(encoded).join('/');
}

function encoded(part: string): string {
  return encodeURIComponent(part.toWellFormed());
}

function nameOf(gate: string): string {
  return visibleText(gate);
}
