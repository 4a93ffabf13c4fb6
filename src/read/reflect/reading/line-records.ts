/** From one line of a transcript, as parsed JSON, to records. */
import { asFields, type Fields, list } from '../../../engine/client/fields.ts';
import { decoded } from './byte-text.ts';
import { excerptOf, nameOf } from './excerpt.ts';
import type { Excerpt, HookRecord, SeeRecord, TranscriptRecord, Where } from './records.ts';
import { toolResult, toolUse } from './tool-records.ts';
import { UsageOnce } from './usage-once.ts';

type Bare<T> = T extends TranscriptRecord ? Omit<T, 'line' | 'at' | 'where'> : never;
type BareRecord = Bare<TranscriptRecord>;

/** Lines from the user that a hook wrote. */
const FEEDBACK = /^(?:Stop|SubagentStop|TeammateIdle|TaskCompleted) hook feedback:/;
/** A command that Claude Code handles itself begins with its name; one for the model begins with its message. */
const LOCAL_COMMAND = /^\s*<(?:command-name|local-command-\w+|bash-(?:input|stdout|stderr))>/;
const FOR_THE_MODEL = /^\s*<command-message>.{0,500}?<command-name>\/?([^<\s]{1,200})/s;
const NOTIFICATION = '<task-notification>';
const CONTINUED = 'This session is being continued from a previous conversation';
const INTERRUPTED = '[Request interrupted by user';

export class LineRecords {
  private readonly see: SeeRecord;
  private readonly usage = new UsageOnce();
  private where: Where = { sidechain: false };
  private line = 0;
  /** The line of the last feedback of a Stop hook: the attachment that repeats it is left out. */
  private feedbackAt = Number.NEGATIVE_INFINITY;

  constructor(see: SeeRecord) {
    this.see = see;
  }

  take(entry: Fields, line: number): void {
    this.line = line;
    this.where = sameOr(this.where, entry);
    const at = timeOf(entry.timestamp);
    for (const record of this.recordsIn(entry))
      this.see({ ...record, line, at, where: this.where } as TranscriptRecord);
  }

  private recordsIn(entry: Fields): BareRecord[] {
    switch (entry.type) {
      case 'assistant':
        return this.answer(entry);
      case 'user':
        return this.user(entry);
      case 'attachment':
        return this.attachment(asFields(entry.attachment));
      case 'system':
        return systemRecords(entry);
      case 'cost-state': {
        const totalUsd = countOf(entry.totalCostUSD);
        return totalUsd === undefined ? [] : [{ kind: 'cost', totalUsd }];
      }
      default:
        return [];
    }
  }

  private answer(entry: Fields): BareRecord[] {
    const message = asFields(entry.message);
    if (!message) return [];
    const blocks = contentBlocks(message.content);
    if (entry.isApiErrorMessage === true) return [apiError(entry, blocks)];
    // Claude Code writes its own notices as answers of no model.
    if (message.model === '<synthetic>') return [];
    const id = nameOf(message.id);
    const model = nameOf(entry.requestedModel) ?? nameOf(message.model);
    const records = answerBlocks(blocks, { id, model, stopReason: nameOf(message.stop_reason) });
    const used = this.usage.of(id, model, asFields(message.usage));
    if (used) records.push({ kind: 'usage', ...used });
    return records;
  }

  private user(entry: Fields): BareRecord[] {
    const blocks = contentBlocks(asFields(entry.message)?.content);
    const results = blocks.filter((block) => block.type === 'tool_result');
    return [...results.map((block) => toolResult(block, entry)), ...this.said(entry, blocks, results.length)];
  }

  /** What a line in the name of the user says beside results of tools. */
  private said(entry: Fields, blocks: readonly Fields[], results: number): BareRecord[] {
    const texts = textsOf(blocks);
    const [first = ''] = texts;
    if (entry.isCompactSummary === true) return [];
    if (first.startsWith(INTERRUPTED)) return [{ kind: 'interruption' }];
    if (entry.isMeta === true) return FEEDBACK.test(first) ? this.feedback(texts) : [];
    if (results > 0 || blocks.length === 0) return [];
    if (first.startsWith(CONTINUED) || LOCAL_COMMAND.test(first)) return [];
    if (first.trimStart().startsWith(NOTIFICATION)) return [notification(first, true)];
    return [prompt(entry, blocks, texts)];
  }

  private feedback(texts: readonly string[]): BareRecord[] {
    this.feedbackAt = this.line;
    const [event = 'Stop'] = (texts[0] ?? '').split(' ', 1);
    return texts.map((text) => ({
      kind: 'hook',
      what: 'block',
      event,
      text: excerptOf(text.replace(FEEDBACK, '').trim()),
    }));
  }

  private attachment(attachment: Fields | undefined): BareRecord[] {
    if (!attachment || typeof attachment.type !== 'string') return [];
    if (attachment.type === 'queued_command') return queued(attachment);
    const what = Object.hasOwn(HOOKS, attachment.type) ? HOOKS[attachment.type] : undefined;
    if (!what) return [];
    const event = nameOf(attachment.hookEvent);
    // Claude Code writes what held a Stop twice: as feedback, and here.
    const isRepeated = what === 'block' && event?.endsWith('Stop') && this.line - this.feedbackAt < 20;
    return isRepeated ? [] : [hookRecord(attachment, what, event)];
  }
}

function answerBlocks(
  blocks: readonly Fields[],
  { id, model, stopReason }: { id?: string; model?: string; stopReason?: string },
): BareRecord[] {
  const callsTool = blocks.some((block) => block.type === 'tool_use');
  const final = !callsTool && stopReason !== 'tool_use' && stopReason !== 'pause_turn';
  return blocks.flatMap((block): BareRecord[] => {
    if (block.type === 'text' && typeof block.text === 'string')
      return [{ kind: 'text', text: excerptOf(block.text), message: id, model, final, stopReason }];
    if (block.type === 'thinking')
      return [{ kind: 'thinking', message: id, size: String(block.thinking ?? '').length }];
    const call = block.type === 'tool_use' ? toolUse(block, id) : undefined;
    return call ? [call] : [];
  });
}

function apiError(entry: Fields, blocks: readonly Fields[]): BareRecord {
  const text = excerptOf(textsOf(blocks));
  const error = nameOf(entry.error);
  const status = countOf(entry.apiErrorStatus) ?? statusIn(text.head);
  const rateLimit = error === 'rate_limit' || status === 429 || /\blimit reached\b/i.test(text.head);
  return { kind: 'api_error', status, error, text, rateLimit };
}

function prompt(entry: Fields, blocks: readonly Fields[], texts: readonly string[]): BareRecord {
  const images = blocks.filter((block) => block.type === 'image').length;
  const command = FOR_THE_MODEL.exec((texts[0] ?? '').slice(0, 1000))?.[1];
  return {
    kind: 'prompt',
    text: excerptOf(texts),
    uuid: nameOf(entry.uuid),
    promptId: nameOf(entry.promptId),
    source: nameOf(entry.promptSource),
    command: command === undefined ? undefined : `/${command}`,
    images: images === 0 ? undefined : images,
  };
}

/** Something came while the agent worked. */
function queued(attachment: Fields): BareRecord[] {
  const texts = textsOf(contentBlocks(attachment.prompt));
  const [first = ''] = texts;
  if (first.trimStart().startsWith(NOTIFICATION)) return [notification(first, false)];
  const isMeta = attachment.isMeta === true || attachment.commandMode === 'task-notification';
  if (first.trim() === '' || isMeta) return [];
  const source = nameOf(asFields(attachment.origin)?.kind);
  const uuid = nameOf(attachment.source_uuid);
  return [{ kind: 'prompt', text: excerptOf(texts), uuid, source, queued: true }];
}

/** Claude Code makes the body: nothing in it but the description comes from others. */
function notification(text: string, starts: boolean): BareRecord {
  const field = (name: string) => between(text, `<${name}>`, `</${name}>`);
  const summary = field('summary') ?? '';
  const exit = /\bexit code (\d{1,3})\b/.exec(summary)?.[1];
  return {
    kind: 'notification',
    task: nameOf(field('task-id')),
    toolUse: nameOf(field('tool-use-id')),
    status: nameOf(field('status')),
    exit: exit === undefined ? undefined : Number(exit),
    summary: decoded(summary.slice(0, 500)),
    starts,
  };
}

function between(text: string, open: string, close: string): string | undefined {
  const start = text.indexOf(open);
  const end = start < 0 ? -1 : text.indexOf(close, start);
  return end < 0 ? undefined : text.slice(start + open.length, end);
}

function systemRecords(entry: Fields): BareRecord[] {
  switch (entry.subtype) {
    case 'compact_boundary':
      return [compaction(asFields(entry.compactMetadata) ?? {})];
    case 'api_error':
      return [retriedError(entry)];
    case 'stop_hook_summary':
      return [stopHooks(entry)];
    case 'turn_duration': {
      const ms = countOf(entry.durationMs);
      return ms === undefined ? [] : [{ kind: 'turn_duration', ms }];
    }
    default:
      return [];
  }
}

function compaction(about: Fields): BareRecord {
  return {
    kind: 'compaction',
    trigger: nameOf(about.trigger),
    preTokens: countOf(about.preTokens),
    postTokens: countOf(about.postTokens),
    durationMs: countOf(about.durationMs),
  };
}

function retriedError(entry: Fields): BareRecord {
  const error = asFields(entry.error);
  const inner = asFields(asFields(error?.error)?.error) ?? asFields(error?.error);
  const status = countOf(error?.status);
  return {
    kind: 'api_error',
    status,
    error: nameOf(inner?.type),
    text: excerptOf(textOr(inner?.message) ?? textOr(error?.message) ?? ''),
    rateLimit: status === 429 || inner?.type === 'rate_limit_error',
    retry: { attempt: countOf(entry.retryAttempt) ?? 1, inMs: countOf(entry.retryInMs) },
  };
}

function stopHooks(entry: Fields): BareRecord {
  const errors = Array.isArray(entry.hookErrors) ? entry.hookErrors : [];
  return {
    kind: 'stop_hooks',
    hooks: list(entry, 'hookInfos').map((hook) => ({
      command: nameOf(hook.command) ?? '',
      durationMs: countOf(hook.durationMs),
    })),
    errors: errors.filter((error) => typeof error === 'string').map((error) => decoded(error.slice(0, 500))),
    prevented: entry.preventedContinuation === true,
  };
}

const HOOKS: Record<string, HookRecord['what']> = {
  hook_blocking_error: 'block',
  hook_additional_context: 'context',
  hook_system_message: 'context',
  hook_stopped_continuation: 'stopped',
  hook_non_blocking_error: 'failed',
  hook_error_during_execution: 'failed',
  hook_cancelled: 'failed',
  hook_success: 'ok',
};

function hookRecord(attachment: Fields, what: HookRecord['what'], event: string | undefined): BareRecord {
  const blocking = asFields(attachment.blockingError);
  return {
    kind: 'hook',
    what: what === 'failed' && attachment.timedOut === true ? 'timeout' : what,
    event,
    command: nameOf(blocking?.command ?? attachment.command),
    toolUse: nameOf(attachment.toolUseID),
    text: hookText(attachment, blocking),
    durationMs: countOf(attachment.durationMs),
  };
}

function hookText(attachment: Fields, blocking: Fields | undefined): Excerpt {
  const { content, stderr, message, stdout } = attachment;
  const said = [blocking?.blockingError, content, message, stderr, stdout].find(
    (text) => (typeof text === 'string' && text !== '') || Array.isArray(text),
  );
  const texts = Array.isArray(said) ? said : [said];
  return excerptOf(texts.filter((text) => typeof text === 'string'));
}

/** Content is a list of blocks, or a plain string that stands for one text block. */
function contentBlocks(content: unknown): Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.map(asFields).filter((block) => block !== undefined);
}

function textsOf(blocks: readonly Fields[]): string[] {
  return blocks.flatMap((block) =>
    block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
  );
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function statusIn(text: string): number | undefined {
  const [, status] = /API Error: (\d{3})\b/.exec(text) ?? [];
  return status === undefined ? undefined : Number(status);
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function timeOf(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** The place of the lines before, when this line was written there, too. */
function sameOr(where: Where, entry: Fields): Where {
  const sidechain = entry.isSidechain === true;
  const cwd = typeof entry.cwd === 'string' ? decoded(entry.cwd) : undefined;
  const branch = nameOf(entry.gitBranch);
  if (
    cwd === where.cwd &&
    entry.sessionId === where.session &&
    sidechain === where.sidechain &&
    entry.agentId === where.agent &&
    entry.version === where.version &&
    branch === where.branch
  )
    return where;
  return {
    session: nameOf(entry.sessionId),
    cwd,
    version: nameOf(entry.version),
    branch,
    entrypoint: nameOf(entry.entrypoint),
    sidechain,
    agent: nameOf(entry.agentId),
  };
}
