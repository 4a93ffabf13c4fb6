/** What a command printed as JSON, object by object, laid out in lines, so that a difference is short. */
export function laidOutJson(stdout: string): string {
  if (stdout === '') return '';
  const values = stdout.startsWith('{\n') ? [stdout] : stdout.trimEnd().split('\n');
  return values.map((text) => `${JSON.stringify(JSON.parse(text), null, 2)}\n`).join('');
}
