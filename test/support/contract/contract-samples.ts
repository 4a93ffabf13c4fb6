/** The example of the grammar: every part of a contract once. */
export const WHOLE_CONTRACT = `# untildone.yaml
task: Build the todo API                     # optional: loops may bring their own
gates:                                       # name: { <kind>: <what>, ...options }
  tests:    { run: npm test, timeout: 10m }
  lint:     { run: npm run lint, on_unproven: allow }
  features: { features: feature_list.json }
  plan:     { checklist: PLAN.md }
  tidy:     { forbid: [debug, debugger, todo, placeholder, secrets] }
  intact:   { tests_intact: true }
  pushed:   { git: [clean, committed] }
  checks:   { ci: github }
  review:   { judge: "Does the diff do what the task asks, edge cases included?" }
  ready:    { any: [checks, review] }
done:       [tests, lint, features, intact]  # a loop's Stop; absent: all gates
every_stop: { gates: [lint], blocks: 2 }     # standing: any session's Stop, at most so many blocks a prompt
subagent:   { "*": [lint] }                  # SubagentStop, by agent type
task_done:  [tidy]                           # TaskCompleted
teammate:   [tidy]                           # TeammateIdle
limits:     { iterations: 50, duration: 8h, cost_usd: 20, tokens: 20M, stall: 3, context: 0.8 }
on_context: continue                         # continue | spawn (runs always hand over)
notify:     [{ webhook: "https://...", on: [done, stalled, needs_person] }]
`;

/** A contract with one gate, which stands in line 2 behind `  t: `. */
export function gate(body: string): string {
  return `gates:\n  t: ${body}\n`;
}
