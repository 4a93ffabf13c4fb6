/** One line for the person, or the program, that called. */
export function out(line: string): void {
  process.stdout.write(`${line}\n`);
}
