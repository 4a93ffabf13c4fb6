/** Every setting that git lists (`git help --config`), and what each can start. A setting that stands in no list is a question. */

/** Settings that name a program, with the value that makes `program` run; `<x>` of git's list is `trap` in their names. */
export const PROGRAMS: Readonly<Record<string, (program: string) => string>> = {
  'alias.status': (program) => `!${program}`,
  'alias.diff': (program) => `!${program}`,
  'browser.trap.cmd': (program) => program,
  'browser.trap.path': (program) => program,
  'core.alternateRefsCommand': (program) => program,
  'core.askPass': (program) => program,
  'core.editor': (program) => program,
  'core.fsmonitor': (program) => program,
  'core.gitProxy': (program) => program,
  'core.pager': (program) => program,
  'core.sshCommand': (program) => program,
  'credential.helper': (program) => `!${program}`,
  'credential.https://localhost.helper': (program) => `!${program}`,
  'diff.external': (program) => program,
  'diff.guitool': () => 'trap',
  'diff.tool': () => 'trap',
  'diff.trap.command': (program) => program,
  'diff.trap.textconv': (program) => program,
  'difftool.trap.cmd': (program) => program,
  'difftool.trap.path': (program) => program,
  'filter.trap.clean': (program) => program,
  'filter.trap.process': (program) => program,
  'filter.trap.smudge': (program) => program,
  'gpg.program': (program) => program,
  'gpg.openpgp.program': (program) => program,
  'gpg.ssh.program': (program) => program,
  'gpg.ssh.defaultKeyCommand': (program) => program,
  'guitool.trap.cmd': (program) => program,
  'help.browser': () => 'trap',
  'imap.tunnel': (program) => program,
  'instaweb.browser': (program) => program,
  'instaweb.httpd': (program) => program,
  'interactive.diffFilter': (program) => program,
  'man.trap.cmd': (program) => program,
  'man.trap.path': (program) => program,
  'man.viewer': () => 'trap',
  'merge.guitool': () => 'trap',
  'merge.tool': () => 'trap',
  'merge.trap.driver': (program) => program,
  'mergetool.trap.cmd': (program) => program,
  'mergetool.trap.path': (program) => program,
  'pager.status': (program) => program,
  'pager.diff': (program) => program,
  'pager.config': (program) => program,
  'remote.origin.receivepack': (program) => program,
  'remote.origin.uploadpack': (program) => program,
  'remote.origin.vcs': (program) => program,
  'sendemail.ccCmd': (program) => program,
  'sendemail.headerCmd': (program) => program,
  'sendemail.sendmailCmd': (program) => program,
  'sendemail.smtpServer': (program) => program,
  'sendemail.tocmd': (program) => program,
  'sequence.editor': (program) => program,
  'submodule.trap.update': (program) => `!${program}`,
  'tar.trap.command': (program) => program,
  'trailer.trap.command': (program) => program,
  'trailer.trap.cmd': (program) => program,
  'trailer.separators': () => ':',
  'uploadpack.packObjectsHook': (program) => program,
  'web.browser': () => 'trap',
};

/** Settings that lead git to other files, folders, transports or settings. The test plants each in a way of its own. */
export const LEADS_ELSEWHERE = [
  'core.hooksPath',
  'core.worktree',
  'core.attributesFile',
  'extensions.worktreeConfig',
  'extensions.partialClone',
  'include.path',
  'includeIf.trap.path',
  'init.templateDir',
  'protocol.allow',
  'protocol.trap.allow',
  'remote.origin.promisor',
  'remote.origin.url',
  'remote.origin.pushurl',
  'safe.bareRepository',
  'safe.directory',
  'submodule.trap.url',
  'url.trap.insteadOf',
  'url.trap.pushInsteadOf',
];

/** Sections of which no setting starts a program. */
const HARMLESS_SECTIONS =
  /^(?:add|advice|am|apply|attr|author|bitmapPseudoMerge|blame|branch|bundle|checkout|clean|clone|color|column|commit|commitGraph|committer|completion|credentialCache|credentialStore|extensions|fastimport|feature|fetch|format|fsck|fsmonitor|gc|gitcvs|gitweb|grep|gui|http|i18n|index|log|lsrefs|mailinfo|mailmap|maintenance|merge|notes|pack|pretty|promisor|pull|push|rebase|receive|reftable|remotes|repack|replay|rerere|reset|revert|showBranch|sparse|splitIndex|ssh|stash|status|svn|svn-remote|tag|trace2|transfer|uploadarchive|uploadpack|uploadpackfilter|user|versionsort|whatchanged|worktree)\./;

/** Settings of the other sections that start nothing. */
const HARMLESS: readonly RegExp[] = [
  /^core\.(?:abbrev|alternateRefsPrefixes|autocrlf|bare|bigFileThreshold|checkRoundtripEncoding|checkStat|comment(?:Char|String)|commitGraph|compression|createObject|delta\w+|eol|excludesFile|file\w+|fsmonitorHookVersion|fsync\w*|hideDotFiles|ignore\w+|logAllRefUpdates|lockfilePid|looseCompression|max\w+|multiPackIndex|notesRef|packed\w+|precomposeUnicode|preferSymlinkRefs|preloadIndex|protect\w+|quotePath|repositoryFormatVersion|restrictinheritedhandles|safecrlf|sharedRepository|sparse\w+|splitIndex|symlinks|trustctime|unsetenvvars|untrackedCache|use\w+|warnAmbiguousRefs|whitespace)$/,
  /^credential\.(?:https:\/\/localhost\.\*|interactive|protectProtocol|sanitizePrompt|useHttpPath|username)$/,
  /^diff\.(?:trap\.(?:binary|cachetextconv|wordRegex|xfuncname|algorithm)|algorithm|autoRefreshIndex|color\w+|context|dirstat|ignoreSubmodules|indentHeuristic|interHunkContext|\w+[pP]refix|orderFile|relative|rename\w+|stat\w+|submodule|suppressBlankEmpty|trustExitCode|wordRegex|wsErrorHighlight)$/,
  /^(?:difftool|mergetool)\.(?:trap\.(?:hideResolved|layout|trustExitCode)|guiDefault|hideResolved|keep\w+|meld\.\w+|prompt|trustExitCode|vimdiff\.layout|writeToTemp)$/,
  /^gpg\.(?:format|minTrustLevel|ssh\.(?:allowedSignersFile|revocationFile))$/,
  /^guitool\.trap\.(?:argPrompt|confirm|needsFile|noConsole|noRescan|prompt|revPrompt|revUnmerged|title)$/,
  /^help\.(?:autoCorrect|format|htmlPath)$/,
  /^imap\.(?:authMethod|folder|host|pass|port|preformattedHTML|sslverify|user|trap\.\*)$/,
  /^init\.(?:default\w+)$/,
  /^instaweb\.(?:local|modulePath|port)$/,
  /^interactive\.singleKey$/,
  /^protocol\.version$/,
  /^remote\.(?:pushDefault|origin\.(?:fetch|followRemoteHEAD|mirror|partialclonefilter|proxy\w*|prune\w*|push|serverOption|skip\w+|tagOpt))$/,
  /^sendemail\.(?:trap\.\*|alias\w+|annotate|bcc|cc|chain\w+|confirm|envelopeSender|forbid\w+|from|identity|inreplyto|mailmap\S*|multi\w+|outlook\w+|signedoffbycc|smtp(?!Server$)\w+|suppress\w+|thread|to|transferEncoding|validate|xmailer|useImapOnly|imapSentFolder)$/,
  /^submodule\.(?:active|alternate\w+|fetchJobs|propagateBranches|recurse|trap\.(?:active|branch|fetchRecurseSubmodules|gitdir|ignore))$/,
  /^tar\.(?:umask|trap\.remote)$/,
  /^trailer\.(?:where|ifexists|ifmissing|trap\.(?:key|where|ifexists|ifmissing))$/,
];

/** A name of git's list with its place-holders filled in, as the lists above have it. */
export function filledIn(listed: string): string {
  return listed
    .replace(/^alias\.\*$/, 'alias.status')
    .replace(/^pager\.<cmd>$/, 'pager.status')
    .replace(/^remote\.<name>/, 'remote.origin')
    .replace(/^credential\.<url>/, 'credential.https://localhost')
    .replace(/^gpg\.<format>/, 'gpg.openpgp')
    .replace(/<[^>]+>/g, 'trap');
}

export function isClassified(name: string): boolean {
  return (
    name in PROGRAMS ||
    LEADS_ELSEWHERE.includes(name) ||
    HARMLESS_SECTIONS.test(name) ||
    HARMLESS.some((pattern) => pattern.test(name))
  );
}
