type EventFields = Readonly<Record<string, unknown>> & { hook_event_name: string };

const tool = (name: string, tool_name: string, tool_input: object, more: object = {}): EventFields => ({
  hook_event_name: name,
  permission_mode: 'acceptEdits',
  tool_name,
  tool_input,
  tool_use_id: 'toolu_01',
  ...more,
});

/** Every event that Claude Code sends to hooks of ours, in an order in which it may: the fields that its client 2.1.325 sends. */
export function KNOWN_EVENTS(project: string): EventFields[] {
  const agent = { agent_id: 'a1', agent_type: 'general-purpose' };
  const teammate = { teammate_name: 'tester', team_name: 'team' };
  const task = { task_id: '7', task_subject: 'Write the parser', task_description: 'All of it', ...teammate };
  return [
    { hook_event_name: 'SessionStart', source: 'startup' },
    { hook_event_name: 'UserPromptSubmit', prompt: 'Go on with the work', prompt_id: 'p1' },
    { hook_event_name: 'UserPromptSubmit', prompt: 'Add a debugger', prompt_id: 'p2' },
    tool('PreToolUse', 'Bash', { command: 'npm test -- --run src && git status | head' }),
    tool('PreToolUse', 'Bash', { command: 'git push origin main' }),
    tool('PreToolUse', 'Bash', { command: 'npm install left-pad' }),
    tool('PreToolUse', 'Bash', { command: 'untildone cancel' }),
    tool('PreToolUse', 'Bash', { command: 'echo "{}" > .claude/settings.json' }),
    tool('PreToolUse', 'Write', { file_path: `${project}/src/a.js`, content: 'export const a = 1;\n' }),
    tool('PreToolUse', 'Write', { file_path: `${project}/untildone.yaml`, content: 'gates: {}\n' }),
    tool('PreToolUse', 'Read', { file_path: `${project}/src/a.js` }),
    tool('PermissionRequest', 'Bash', { command: 'npm test' }),
    tool('PermissionRequest', 'Write', { file_path: `${project}/src/a.js`, content: '' }),
    tool('PostToolUse', 'Bash', { command: 'npm test' }, { tool_response: { stdout: 'ok', stderr: '' } }),
    tool('PostToolUseFailure', 'Bash', { command: 'npm test' }, { error: 'it failed', is_interrupt: false }),
    { hook_event_name: 'SubagentStart', ...agent },
    tool('PreToolUse', 'Bash', { command: 'ls' }, agent),
    { hook_event_name: 'SubagentStop', stop_hook_active: false, last_assistant_message: 'part 1', ...agent },
    { hook_event_name: 'SubagentStop', stop_hook_active: true, last_assistant_message: 'part 2', ...agent },
    { hook_event_name: 'TaskCreated', ...task },
    { hook_event_name: 'TaskCompleted', ...task },
    { hook_event_name: 'TeammateIdle', ...teammate },
    {
      hook_event_name: 'ConfigChange',
      source: 'project_settings',
      file_path: `${project}/.claude/settings.json`,
    },
    { hook_event_name: 'Notification', message: 'Claude is waiting for your input', title: 'Waiting' },
    { hook_event_name: 'PreCompact', trigger: 'auto', custom_instructions: '' },
    { hook_event_name: 'SessionStart', source: 'compact' },
    { hook_event_name: 'SessionStart', source: 'resume' },
    { hook_event_name: 'StopFailure', error: 'rate_limit', last_assistant_message: 'API Error' },
    { hook_event_name: 'SomethingNew', field: 1 },
    ...['I wrote the first part.', 'I wrote the second part.', ''].map((last_assistant_message, i) => ({
      hook_event_name: 'Stop',
      permission_mode: 'acceptEdits',
      stop_hook_active: i > 0,
      last_assistant_message,
      background_tasks: [],
      session_crons: [],
    })),
    {
      hook_event_name: 'Stop',
      permission_mode: 'acceptEdits',
      stop_hook_active: false,
      last_assistant_message: 'A subagent is still at work.',
      background_tasks: [{ id: 'b1', type: 'subagent', status: 'running', description: 'tests' }],
      session_crons: [],
    },
  ];
}
