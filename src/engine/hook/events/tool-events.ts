import type { EventAnswers } from './answer-other.ts';
import { permissionRequest } from './permission-request.ts';
import { preToolUse } from './pre-tool-use.ts';

/** Events of tool calls. They come most often by far, so a bundle of their own answers them. */
export const TOOL_ANSWERS = {
  PreToolUse: preToolUse,
  PermissionRequest: permissionRequest,
} satisfies EventAnswers;
