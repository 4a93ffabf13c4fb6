import { z } from 'zod';

/** The rules of SARIF 2.1.0 (sections 3.13 to 3.30) that our files could break, and those that GitHub adds. */

const text = z.string().refine((value) => value.isWellFormed(), 'holds half a character');
const message = z.strictObject({ text: text.min(1) });

/** A relative reference of RFC 3986: no scheme, no raw character that means something else. */
const uri = z.string().regex(/^(?:[\w.~!'()*-]|%[0-9A-F]{2})*(?:\/(?:[\w.~!'()*-]|%[0-9A-F]{2})*)*$/);

const region = z.strictObject({
  startLine: z.number().int().min(1),
  startColumn: z.number().int().min(1).optional(),
});

const result = z.strictObject({
  ruleId: text,
  ruleIndex: z.number().int().min(0),
  level: z.enum(['none', 'note', 'warning', 'error']),
  message,
  locations: z
    .array(
      z.strictObject({
        physicalLocation: z.strictObject({
          artifactLocation: z.strictObject({ uri, uriBaseId: z.string() }),
          region: region.optional(),
        }),
      }),
    )
    .length(1),
  partialFingerprints: z.record(z.string(), z.string()),
});

const log = z.strictObject({
  $schema: z.url(),
  version: z.literal('2.1.0'),
  runs: z
    .array(
      z.strictObject({
        tool: z.strictObject({
          driver: z.strictObject({
            name: z.string().min(1),
            version: z.string(),
            informationUri: z.url(),
            rules: z.array(
              z.strictObject({
                id: text,
                shortDescription: message,
                properties: z.record(z.string(), z.unknown()),
              }),
            ),
          }),
        }),
        automationDetails: z.strictObject({ id: z.string() }),
        columnKind: z.enum(['utf16CodeUnits', 'unicodeCodePoints']),
        invocations: z.array(
          z.strictObject({
            executionSuccessful: z.boolean(),
            exitCode: z.number().int(),
            exitCodeDescription: text,
          }),
        ),
        results: z.array(result),
      }),
    )
    .length(1),
});

/** What is wrong with a SARIF file, a line each. */
export function sarifProblems(value: unknown): string[] {
  const parsed = log.safeParse(JSON.parse(JSON.stringify(value)));
  const shape = parsed.success
    ? []
    : parsed.error.issues.map(({ path, message: m }) => `${path.join('.')}: ${m}`);
  type Run = {
    tool: { driver: { rules: { id: string }[] } };
    results: { ruleId: string; ruleIndex: number }[];
  };
  const [run] = (value as { runs: Run[] }).runs;
  const rules = run?.tool.driver.rules.map(({ id }) => id) ?? [];
  const twice = rules.filter((id, at) => rules.indexOf(id) !== at).map((id) => `rule ${id} is there twice`);
  const lost = (run?.results ?? [])
    .filter(({ ruleId, ruleIndex }) => rules[ruleIndex] !== ruleId)
    .map(({ ruleId }) => `the rule of ${ruleId} is another`);
  return [...shape, ...twice, ...lost];
}
