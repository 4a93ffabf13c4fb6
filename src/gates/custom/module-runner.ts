/**
 * The small program that runs a gate written as a module, in a process of its own so that it can be ended. It gets the
 * module's path as its argument and the question on stdin. stdout is kept for the answer: what the module prints goes
 * to stderr. `defineGate` is there without an import, so that a gate needs nothing installed.
 */
export const MODULE_RUNNER = `
const file = process.argv[1];
const answer = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
globalThis.defineGate = (gate) => gate;
const finish = (value) => answer(JSON.stringify(value) ?? 'null', () => process.exit(0));
if (/\\.[mc]?ts$/.test(file) && !process.features.typescript) {
  finish({
    outcome: 'unproven',
    summary: 'a gate in TypeScript needs Node 22.18 or newer; this is ' + process.version,
  });
} else {
  let question = '';
  process.stdin.setEncoding('utf8');
  for await (const text of process.stdin) question += text;
  const url = 'file://' + (process.cwd() + '/' + file).split('/').map(encodeURIComponent).join('/');
  const { default: gate } = await import(url);
  const judge = typeof gate === 'function' ? gate : gate?.judge?.bind(gate);
  if (!judge) throw new Error(file + ' has no default export with a function "judge"');
  finish(await judge(JSON.parse(question)));
}
`;
