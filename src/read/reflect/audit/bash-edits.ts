/** Files that a shell line changes, where that is certain. */
import { changedNames } from '../../../engine/core/tools/changed-names.ts';
import type { LineCall } from './line-calls.ts';

/** What a command leaves beside the work: its output, not an edit. */
const OUTPUT =
  /(?:^\/(?:dev|tmp|var|proc)\/)|\.(?:log|out|err|tmp|pid|lock|patch|diff)$|(?:^|\/)(?:coverage|dist|build|out|tmp|node_modules|target|\.git|\.cache)(?:\/|$)/;
/** Programs of which every changed name is a file of the work. Others change modes, times, or what they build. */
const EDITORS = /^(?:sed|perl|ruby|awk|gawk|tee|sponge|patch|rm|unlink|mv|cp|truncate|ed|ex|yq)$/;
/** Programs whose output is a text that the agent chose: a file that they are written to is an edit. */
const WRITERS = /^(?:cat|echo|printf|sed|awk|gawk|jq|yq|tr|head|tail|sort|uniq|cut|envsubst|base64|tee|)$/;

/** The files that a call edits, as the line names them. */
export function editedBy(call: LineCall): string[] {
  const written = WRITERS.test(call.program) ? call.writes : [];
  const changed = EDITORS.test(call.program) ? changedNames(call.program, call.args) : [];
  const applied = call.program === 'git' && call.args[0] === 'apply' && !call.args.includes('--check');
  const names = [...written, ...changed, ...(applied ? ['(git apply)'] : [])];
  return names.filter((name) => name !== '' && !OUTPUT.test(name) && !/[$`]/.test(name));
}
