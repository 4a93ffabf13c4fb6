/** The part of the catalogue about looking back: on sessions, on earlier loops, on figures. */
export const LOOKING_BACK = {
  audit: {
    group: 'back',
    examples: [
      ['untildone audit', 'how often "done" had a passing check behind it, in the last 30 days'],
      ['untildone audit --show masked', 'the turns in which a failure could not be seen'],
      ['untildone audit --since all --html audit.html', 'a page to show: counts only'],
    ],
    exits: { 0: 'audited', 2: 'no transcripts, or they cannot be read' },
  },
  reflect: {
    group: 'back',
    examples: [
      ['untildone reflect', 'what repeated, failed or took long in the sessions of this project'],
      ['untildone reflect 20261115 --markdown', 'one loop: its journal, and the transcripts of its sessions'],
      ['untildone reflect session.jsonl --json', 'one transcript, for programs'],
      ['untildone reflect --since 30d --issues', 'a month, and offer to file GitHub issues about it'],
    ],
    exits: {
      0: 'shown, and filed where you asked for it',
      1: 'nothing to look back on: no session since then, or an empty file',
      2: 'refused: no such session, more than one, no transcript, or an issue could not be filed',
    },
  },
  stats: {
    group: 'back',
    examples: [
      ['untildone stats', 'what held the sessions of this project in the last 30 days, and for how long'],
      ['untildone stats --all --since 7d', 'of all projects in the last week'],
      ['untildone stats --json', 'the same for programs'],
      ['untildone stats --export-otlp', 'send traces of loops that ended to OTEL_EXPORTER_OTLP_ENDPOINT'],
    ],
    exits: { 0: 'shown, or sent', 2: 'not sent: nobody took it, or the call is wrong' },
  },
  lessons: {
    group: 'back',
    examples: [
      ['untildone lessons', 'what sessions are told of earlier loops'],
      ['untildone lessons show L1a2b3', 'the loops that it rests on'],
      ['untildone lessons drop L1a2b3', 'no session is told it any more'],
      ['untildone lessons pin L1a2b3', 'keep it, also when it no longer holds'],
    ],
  },
} as const;
