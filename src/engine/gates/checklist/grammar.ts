import { pathOf, textOf } from '../../schema/values.ts';
import { gateKind } from '../kind-grammar.ts';

const CHECKLIST = 'plan: { checklist: PLAN.md }';
const SECTION = 'plan: { checklist: { file: PLAN.md, section: Tasks } }';

export const checklistGrammar = gateKind({
  kind: 'checklist',
  about: 'No unticked "- [ ]" items are left.',
  example: CHECKLIST,
  what: pathOf('transcript, or a Markdown file', CHECKLIST).describe(
    'A Markdown file, a glob (its newest file), or "transcript" for the latest list in the conversation.',
  ),
  main: 'file',
  options: {
    section: textOf('a heading', SECTION).describe('Only the items below this heading.').exactOptional(),
  },
  build: (file, options) => (file === 'transcript' ? options : { file, ...options }),
});
