import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { Script, constants as vm } from 'node:vm';

/** A CommonJS bundle that is compiled, as far as V8 has done so by now, but not run. */
export interface LoadedBundle {
  /** True when it need not be compiled: an earlier process has left its code behind. */
  fromKept: boolean;
  /** Returns what the bundle exports. */
  run(require: NodeJS.Require): object;
  /** Leaves behind all code that was compiled until now. Never throws: the next process compiles again, that is all. */
  keep(): void;
}

const HEAD = Buffer.from('(function (exports, require, module) {');
const FOOT = Buffer.from('\n})');

/** Compiling takes longer than everything else that a short-lived program does; `keptFile` is where to spare that. */
export function loadBundle(bundle: string, keptFile: string): LoadedBundle {
  const source = readWhole(bundle);
  const code = readKept(keptFile, source);
  // Joined as bytes: joining texts would make a second one of the same size.
  const script = new Script(Buffer.concat([HEAD, source, FOOT]).toString('utf8'), {
    filename: bundle,
    // Node before 20.12 has none of these constants.
    importModuleDynamically: vm?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(code ? { cachedData: code } : {}),
  });
  return {
    fromKept: code !== undefined && script.cachedDataRejected === false,
    run: (require) => {
      const module = { exports: {} };
      const body = script.runInThisContext() as (
        exports: object,
        require: NodeJS.Require,
        module: object,
      ) => void;
      body(module.exports, require, module);
      return module.exports;
    },
    keep: () => writeKept(keptFile, source, script),
  };
}

const DIGEST_BYTES = 32;
const LARGEST = 16 * 1024 * 1024;

/** V8 takes any text of the right length for the one it compiled, and dies of damaged code: both are ruled out here. */
function digestOf(source: Buffer, code: Buffer): Buffer {
  const { execPath, version, arch } = process;
  const hash = createHash('sha256').update(`${execPath}\n${version}\n${arch}\n`);
  return hash.update(source).update(code).digest();
}

function readKept(file: string, source: Buffer): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readWhole(file);
  } catch {
    return undefined;
  }
  const code = bytes.subarray(DIGEST_BYTES);
  return digestOf(source, code).equals(bytes.subarray(0, DIGEST_BYTES)) ? code : undefined;
}

/**
 * By the calls that a hook makes anyway: every other one of Node's functions would have to be compiled first. A pipe is
 * not waited for.
 */
function readWhole(file: string): Buffer {
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { size } = fstatSync(fd);
    if (size > LARGEST) throw new Error(`${file} is larger than ${LARGEST} bytes`);
    const bytes = Buffer.allocUnsafeSlow(size);
    return bytes.subarray(0, readSync(fd, bytes));
  } finally {
    closeSync(fd);
  }
}

function writeKept(file: string, source: Buffer, script: Script): void {
  const temp = `${file}.${process.pid}.tmp`;
  try {
    const code = script.createCachedData();
    writeFileSync(temp, Buffer.concat([digestOf(source, code), code]), { mode: 0o600 });
    renameSync(temp, file);
  } catch {
    remove(temp);
  }
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It was never written.
  }
}
