/**
 * The forms of values in Claude Code's settings, as its SDK declares them. Claude Code takes nothing from a file with a value of a
 * wrong form, our hooks included.
 */
import { asFields } from '../fields.ts';
import type { Settings } from './settings.ts';

type Form = 'string' | 'number' | 'boolean' | 'list' | 'object';

/** Settings that may have two forms are left out. */
const NAMES: Record<Form, string> = {
  string:
    '$schema apiKeyHelper proxyAuthHelper awsCredentialExport awsAuthRefresh gcpAuthRefresh processWrapper ' +
    'attributionProject model availableModelsMatch workflowSizeGuideline defaultShell prUrlTemplate ' +
    'forceLoginMethod forceLoginGatewayUrl parentSettingsBehavior managedSourcesBehavior otelHeadersHelper ' +
    'outputStyle viewMode language feedbackDrafts promptCacheTtl subagentPromptCacheTtl effortLevel ' +
    'maxEffortLevel advisorModel askUserQuestionTimeout dialogExpiry agent autoUpdatesChannel minimumVersion ' +
    'requiredMinimumVersion requiredMaximumVersion plansDirectory tui timeFormat timeZone autoMemoryDirectory ' +
    'disableAutoMode claudeMd pluginTrustMessage theme editorMode keybindingFlavor preferredNotifChannel ' +
    'teammateMode daemonColdStart crossSessionInbound disableDeepLinkRegistration defaultView',
  number:
    'cleanupPeriodDays desktopSessionCleanupPeriodDays skillListingMaxDescChars skillListingBudgetFraction ' +
    'bashOutputMaxChars taskOutputMaxChars feedbackSurveyRate maxProseWidth autoCompactWindow',
  boolean:
    'respectGitignore syncClaudeAiSkills syncClaudeAiPlugins wslInheritsWindowsSettings includeCoAuthoredBy ' +
    'includeGitInstructions enforceAvailableModels enableAllProjectMcpServers disableClaudeAiConnectors ' +
    'disableBundledSkills disableAllHooks disableReplyCheck disableAgentView disableRemoteControl ' +
    'disableWorkflows disableArtifact enableArtifact enableWorkflows workflowKeywordTriggerEnabled ' +
    'disableSkillShellExecution disableWindowsBashCommandSplit bashEditDiffEnabled respondToBashCommands ' +
    'allowManagedHooksOnly allowManagedPermissionRulesOnly allowManagedMcpServersOnly allowAllClaudeAiMcps ' +
    'allowClaudeInChromeWithManagedMcp disableCommandPluginSources disableSideloadFlags ' +
    'forceRemoteSettingsRefresh skipWebFetchPreflight spinnerTipsEnabled syntaxHighlightingDisabled ' +
    'terminalTitleFromRename alwaysThinkingEnabled ultracode fastMode fastModePerSessionOptIn ' +
    'promptSuggestionEnabled emojiCompletionEnabled showClearContextOnPlanAccept channelsEnabled ' +
    'prefersReducedMotion autoMemoryEnabled autoDreamEnabled showThinkingSummaries ' +
    'skipDangerousModePermissionPrompt verbose autoCompactEnabled precomputeCompactionEnabled idleCompaction ' +
    'switchModelsOnFlag autoContinueAtUsageLimit autoScrollEnabled wheelScrollAccelerationEnabled ' +
    'fileCheckpointingEnabled showTurnDuration showMessageTimestamps terminalProgressBarEnabled ' +
    'todoFeatureEnabled remoteControlAtStartup isolatePeerMachines autoUploadSessions inputNeededNotifEnabled ' +
    'agentPushNotifEnabled skipAutoPermissionPrompt useAutoModeDuringPlan voiceEnabled',
  list:
    'fallbackModel availableModels deniedModels enabledMcpjsonServers disabledMcpjsonServers allowedMcpServers ' +
    'deniedMcpServers allowedHttpHookUrls httpHookAllowedEnvVars footerLinksRegexes prependPlugins appendPlugins ' +
    'strictKnownMarketplaces allowedMarketplaces blockedMarketplaces pluginSuggestionMarketplaces ' +
    'gatewayInternalNetworks allowedProviders companyAnnouncements allowedChannelPlugins sshConfigs ' +
    'sshHostCommands claudeMdExcludes',
  object:
    'policyHelper fileSuggestion env attributionProjectPolicy permissions modelOverrides modelPicker modelPricing ' +
    'skillOverrides managedMcpServers hooks worktree statusLine subagentStatusLine enabledPlugins ' +
    'extraKnownMarketplaces additionalMarketplaces sandbox spinnerVerbs spinnerTipsOverride spellcheck ' +
    'modelSettings pluginConfigs remote voice vimInsertModeRemaps autoMode',
};

const PERMISSION_LISTS = ['allow', 'deny', 'ask', 'additionalDirectories'];

/** The first setting with a value of a wrong form; undefined when none is known to be. */
export function misshapenSetting(settings: Settings): string | undefined {
  const values = { ...settings } as Record<string, unknown>;
  const name = (Object.keys(NAMES) as Form[])
    .flatMap((form) => NAMES[form].split(' ').filter((each) => isOther(values[each], form)))
    .at(0);
  if (name !== undefined) return name;
  const permissions = asFields(values.permissions) ?? {};
  const list = PERMISSION_LISTS.find((each) => isOther(permissions[each], 'list'));
  return list && `permissions.${list}`;
}

function isOther(value: unknown, form: Form): boolean {
  if (value === undefined) return false;
  if (value === null) return true;
  return (Array.isArray(value) ? 'list' : typeof value) !== form;
}
