import type { Finding } from './findings.ts';

/** What GitHub reads in the log of a workflow: commands that it shows as annotations beside the lines they name. */

export function annotation({ level, path, line, column, gate, text }: Finding): string {
  const at = [
    `file=${property(path)}`,
    ...(line === undefined ? [] : [`line=${line}`]),
    ...(line === undefined || column === undefined ? [] : [`col=${column}`]),
    `title=${property(gate)}`,
  ];
  return `::${level} ${at.join(',')}::${data(text)}`;
}

export function notice(level: 'error' | 'warning', text: string): string {
  return `::${level} title=untildone::${data(text)}`;
}

/** A line of the log that is no command; it begins with a word of ours. GitHub takes `##[...]` for one wherever it stands. */
export function logLine(text: string): string {
  return data(text).replaceAll('##[', '## [');
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
