/** A script of CI or of a task, as statements that could stand in a contract. */

/** Words that begin or end what is more than a list of commands. */
const CONTROL =
  /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|function|select|[{}()]|\[\[?)(?:\s|;|$)|^[\w-]+\s*\(\)|<</;

/** The lines of a script that each are a statement; undefined for a script with control structures. */
export function statementsIn(script: string): string[] | undefined {
  const lines = script
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
  return lines.some((line) => CONTROL.test(line)) ? undefined : lines;
}

/** The parts of a line between `&&`; undefined where anything else joins commands, so that one may fail unseen. */
export function chainOf(line: string): string[] | undefined {
  const parts: string[] = [];
  let part = '';
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? '';
    if (quote !== '') {
      if (char === '\\' && quote === '"') part += line[at++];
      else if (char === quote) quote = '';
      part += line[at] ?? '';
    } else if (char === '"' || char === "'") {
      quote = char;
      part += char;
    } else if (char === '\\') {
      part += char + (line[++at] ?? '');
    } else if (line.startsWith('&&', at)) {
      parts.push(part.trim());
      part = '';
      at++;
    } else if (isJoining(line, at)) return undefined;
    else part += char;
  }
  parts.push(part.trim());
  return quote !== '' || parts.includes('') ? undefined : parts;
}

function isJoining(line: string, at: number): boolean {
  const char = line[at] ?? '';
  if ('|&<>`()'.includes(char)) return true;
  // Behind a `;` stands nothing more.
  return char === ';' && line.slice(at + 1).trim() !== '';
}
