/**
 * Loaded by `node --require` before a bundle: makes a file operation fail. Operations are counted in their order, except
 * those on the program itself. FAULT_LOG names a file that gets a line for each of them. FAULT_AT is the number of the
 * operation that fails, FAULT_CODE how (`KILL` ends the process), and with FAULT_ON all that follow fail, too.
 */
const fs = require('node:fs');

const { FAULT_LOG, FAULT_AT, FAULT_CODE = 'EIO', FAULT_ON } = process.env;
for (const name of ['FAULT_LOG', 'FAULT_AT', 'FAULT_CODE', 'FAULT_ON']) delete process.env[name];

const at = Number(FAULT_AT ?? 0);
const real = { ...fs };
const paths = new Map();
let count = 0;
/** Inside of an operation of Node, or of our own. */
let busy = false;

const WRITES = new Set(
  'writeSync writeFileSync appendFileSync fsyncSync ftruncateSync renameSync unlinkSync linkSync mkdirSync rmSync utimesSync chmodSync fchmodSync copyFileSync mkdir writeFile rm chmod mkdtemp'.split(
    ' ',
  ),
);
const READS = new Set(
  'openSync readSync readFileSync readdirSync statSync lstatSync fstatSync realpathSync existsSync accessSync readdir realpath open stat'.split(
    ' ',
  ),
);
/** What a read can fail with. */
const OF_READS = new Set(['EIO', 'EMFILE', 'ENFILE', 'EACCES', 'KILL']);

function isOurs(path) {
  return !/\/(?:dist|node_modules)\/|^\/proc\/|\.cjs$|^\/dev\//.test(path);
}

/** Counts the operation; true when it has to fail. */
function isDue(name, target, flags) {
  const path = typeof target === 'number' ? (paths.get(target) ?? `fd ${target}`) : String(target);
  if (busy || target === 0 || target === 1 || target === 2 || !isOurs(path)) return false;
  count++;
  const writes = WRITES.has(name) || (name === 'openSync' && typeof flags === 'string' && flags !== 'r');
  if (FAULT_LOG) alone(() => real.appendFileSync(FAULT_LOG, `${name} ${writes ? 'w' : 'r'} ${path}\n`));
  if (at === 0 || (FAULT_ON ? count < at : count !== at)) return false;
  return writes ? true : OF_READS.has(FAULT_CODE);
}

function alone(operation) {
  const before = busy;
  busy = true;
  try {
    return operation();
  } finally {
    busy = before;
  }
}

function fail(name, target) {
  if (FAULT_CODE === 'KILL') {
    process.kill(process.pid, 'SIGKILL');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000);
  }
  const error = new Error(`${FAULT_CODE}: injected, ${name} '${String(target)}'`);
  return Object.assign(error, { code: FAULT_CODE, syscall: name.replace('Sync', '') });
}

function wrap(name) {
  const original = fs[name];
  const wrapped = function (target, ...rest) {
    if (isDue(name, target, rest[0])) {
      // As the real one does when it cannot look.
      if (name === 'existsSync' && FAULT_CODE !== 'KILL') return false;
      throw fail(name, target);
    }
    const result = alone(() => original.call(this, target, ...rest));
    if (name === 'openSync') paths.set(result, String(target));
    if (name === 'closeSync') paths.delete(target);
    return result;
  };
  fs[name] = Object.assign(wrapped, original);
}

for (const name of [...WRITES, ...READS]) if (name.endsWith('Sync') && fs[name]) wrap(name);
if (fs.realpathSync.native) {
  const native = real.realpathSync.native;
  fs.realpathSync.native = (path, ...rest) => {
    if (isDue('realpathSync', path)) throw fail('realpathSync', path);
    return native(path, ...rest);
  };
}
for (const name of [...WRITES, ...READS]) {
  const original = name.endsWith('Sync') ? undefined : fs.promises[name];
  if (!original) continue;
  fs.promises[name] = async (target, ...rest) => {
    if (isDue(name, target)) throw fail(name, target);
    return original.call(fs.promises, target, ...rest);
  };
}
