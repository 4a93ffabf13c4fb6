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
  const parts = [''];
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? '';
    const isEscaped = char === '\\' && quote !== "'";
    if (!isEscaped && quote === '' && line.startsWith('&&', at)) {
      parts.push('');
      at++;
      continue;
    }
    if (!isEscaped && quote === '' && isJoining(line, at)) return undefined;
    if (!isEscaped) quote = quoteAfter(char, quote);
    parts.push((parts.pop() ?? '') + char + (isEscaped ? (line[++at] ?? '') : ''));
  }
  const trimmed = parts.map((part) => part.trim());
  return quote !== '' || trimmed.includes('') ? undefined : trimmed;
}

/** The quotes that are open behind a character. */
function quoteAfter(char: string, open: string): string {
  if (open !== '') return char === open ? '' : open;
  return char === '"' || char === "'" ? char : '';
}

function isJoining(line: string, at: number): boolean {
  const char = line[at] ?? '';
  if ('|&<>`()'.includes(char)) return true;
  // Behind a `;` stands nothing more.
  return char === ';' && line.slice(at + 1).trim() !== '';
}
