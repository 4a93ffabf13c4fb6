import type { EventAnswers } from './answer-other.ts';
import { beforeCompaction } from './compaction.ts';
import { configChange } from './config-change.ts';
import { guardedWork } from './guarded-work.ts';
import { sessionStart } from './session-start.ts';
import { stop } from './stop.ts';
import { subagentStart } from './subagent-start.ts';
import { TOOL_ANSWERS } from './tool-events.ts';
import { userPrompt } from './user-prompt.ts';

/** Every event that is more than noted. */
export const EVENT_ANSWERS: EventAnswers = {
  PreToolUse: TOOL_ANSWERS.PreToolUse,
  PermissionRequest: TOOL_ANSWERS.PermissionRequest,
  ConfigChange: configChange,
  SessionStart: sessionStart,
  Stop: stop,
  SubagentStart: subagentStart,
  SubagentStop: guardedWork,
  TaskCreated: guardedWork,
  TaskCompleted: guardedWork,
  TeammateIdle: guardedWork,
  UserPromptSubmit: userPrompt,
  PreCompact: { inLoop: beforeCompaction },
};
