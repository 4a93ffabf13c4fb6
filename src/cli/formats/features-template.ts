/** The three files of a new task, in the form of the feature-list dialect. */

/** The prompt says what the files are for: a session that reads nothing else must be able to work by it. */
export function promptWithRules(task: string, prompt: string | undefined): string {
  return `# ${task}

${prompt?.trim() || NO_PROMPT}

## The files beside this one

- \`feature_list.json\`: what has to work, one entry a feature. A feature is open until its \`passes\` is \`true\`.
- \`progress.txt\`: where the loop stands, and your notes.

Whenever you stop, the list is looked at. While a feature is open, you get the next one with its steps; when none is
open, or at \`Max Iterations\`, you are let go.

## Rules

1. One feature at a time, in the order of the list.
2. Implement it, then go through its steps as a user would. Run the tests.
3. Set \`"passes": true\` only after you saw every step work. If it breaks later, set it back to \`false\` and repair it.
4. Change nothing else in the list: no entry is removed, reworded or made easier.
5. After each feature write one line under "Log" in \`progress.txt\`: what was done, how it was checked, what is open.
6. Leave \`Max Iterations\` and \`Iteration\` as they are: the loop counts. Set \`Status\` to \`COMPLETE\` only when every
   feature passes.
7. Where something cannot be done, say why in the log and go on with the next feature.
`;
}

const NO_PROMPT =
  'Work through `feature_list.json` until every feature passes.\n\n' +
  '<!-- Say here what is to be built, for whom, with what, and where to begin. -->';

export function featureListExample(): string {
  const features = [
    {
      id: 1,
      description: 'Example, replace it: a visitor can add an item to the list',
      steps: ['Start the program', 'Add an item', 'See the item in the list', 'Run the tests'],
      passes: false,
    },
    {
      id: 2,
      description: 'Example, replace it: items are still there after a restart',
      steps: ['Add an item', 'Stop the program and start it again', 'See the item in the list'],
      passes: false,
    },
  ];
  return `${JSON.stringify({ total_features: features.length, features }, undefined, 2)}\n`;
}

export function progressAtStart(maxIterations: number): string {
  return `# Progress

- Max Iterations: ${maxIterations}
- Iteration: 0
- Status: IN_PROGRESS

## Log

`;
}
