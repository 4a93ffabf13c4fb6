/** The part of the catalogue about learning from earlier loops. */
export const LESSONS = {
  lessons: {
    group: 'contract',
    examples: [
      ['untildone lessons', 'what sessions are told of earlier loops, and whether it helps'],
      ['untildone lessons show L1a2b3', 'its evidence and its trial'],
      ['untildone lessons drop L1a2b3', 'no session is told it any more'],
      ['untildone lessons pin L1a2b3', 'keep it, whatever its trial shows'],
    ],
  },
  replay: {
    group: 'contract',
    examples: [
      ['untildone replay --contract new.yaml', 'what this contract would have said to the last ten loops'],
      [
        'untildone replay --contract new.yaml --since 30d --prepare "npm ci"',
        'with dependencies in each copy',
      ],
      ['untildone replay --contract new.yaml --loop 20261115 --json', 'one loop, for programs'],
    ],
    exits: {
      0: 'it was judged, whether or not something differs',
      2: 'it was not: the contract is not trusted, or no tree is kept',
    },
  },
} as const;
