import { isAbsolute, relative } from 'node:path';
import { oneLine } from '../../core/text/clip.ts';

/** A tool call in words: a command after `$`, a file with its path inside the project, an edit with what goes and comes. */
export function callInWords(tool: string, input: Record<string, unknown>, project: string): string {
  const { command, file_path, old_string, new_string } = input;
  if (tool === 'Bash' && typeof command === 'string') return `$ ${command}`;
  const file = typeof file_path === 'string' ? ` ${inside(project, file_path)}` : '';
  if (file === '') return `${tool} ${oneLine(JSON.stringify(input), 200)}`;
  if (typeof old_string !== 'string' || typeof new_string !== 'string') return tool + file;
  return [`${tool}${file}`, ...marked('- ', old_string), ...marked('+ ', new_string)].join('\n');
}

function inside(project: string, path: string): string {
  const short = relative(project, path);
  return short.startsWith('..') || isAbsolute(short) ? path : short;
}

function marked(mark: string, text: string): string[] {
  return text.split('\n').map((line) => mark + line);
}
