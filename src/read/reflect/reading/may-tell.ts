/** Which lines are worth parsing, told by their first bytes. More than half of a transcript is of no use to anybody here. */

const TYPE = Buffer.from('{"type":"');
const ATTACHMENT = Buffer.from('"attachment":{"type":"');
/** How far the keys of a line are looked at: the keys before these are ids and flags. */
const LOOK = 600;
const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;

const TYPES = new Set(['user', 'assistant', 'system', 'attachment', 'cost-state']);
const ATTACHMENTS = /^(?:queued_command|hook_)/;

/**
 * Whether a line may hold something. Claude Code writes the type first, or behind the attachment or the message. A line that
 * is written in another order is parsed.
 */
export function mayTell(bytes: Buffer, from: number, to: number): boolean {
  const end = Math.min(to, from + LOOK);
  if (startsWith(bytes, from, end, TYPE)) return TYPES.has(wordAt(bytes, from + TYPE.length, end));
  const look = bytes.subarray(from, end);
  const brace = look.indexOf(OPEN_BRACE, 1);
  if (brace < 0) return true;
  // The first field that is an object decides.
  const attachment = brace - ATTACHMENT.indexOf(OPEN_BRACE);
  if (attachment > 0 && startsWith(bytes, from + attachment, end, ATTACHMENT))
    return ATTACHMENTS.test(wordAt(bytes, from + attachment + ATTACHMENT.length, end));
  return true;
}

function startsWith(bytes: Buffer, from: number, end: number, wanted: Buffer): boolean {
  if (from + wanted.length > end) return false;
  for (let i = 0; i < wanted.length; i++) if (bytes[from + i] !== wanted[i]) return false;
  return true;
}

/** The characters up to the next quote. */
function wordAt(bytes: Buffer, from: number, end: number): string {
  let to = from;
  while (to < end && bytes[to] !== QUOTE) to++;
  return bytes.toString('latin1', from, to);
}
