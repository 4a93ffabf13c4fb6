import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  futimesSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
} from 'node:fs';
import { Script, constants as vm } from 'node:vm';
import { writeAll } from './atomic-file.ts';

/** A CommonJS bundle that is compiled, as far as V8 has done so by now, but not run. */
export interface LoadedBundle {
  /** True when it need not be compiled: an earlier process has left its code behind. */
  fromKept: boolean;
  /** Returns what the bundle exports. */
  run(require: NodeJS.Require): object;
  /** Leaves behind all code that was compiled until now. Never throws: the next process compiles again, that is all. */
  keep(): void;
}

/** Compiling takes longer than everything else that a short-lived program does; `keptFile` is where to spare that. */
export function loadBundle(bundle: string, keptFile: string): LoadedBundle {
  const source = fromFile(bundle, (fd, stat) => ({ text: readFileSync(fd, 'utf8'), stat }));
  const head = headFor(source.stat);
  const code = readKept(keptFile, head);
  const script = new Script(`(function (exports, require, module) {${source.text}\n})`, {
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
    keep: () => writeKept(keptFile, head, script),
  };
}

const HEAD_BYTES = 512;
const LARGEST = 16 * 1024 * 1024;
/** In seconds; the time that a file of ours bears from the moment it is whole. Whatever is written to it later ends that. */
const WHOLE = 1_000_000_000;

/**
 * V8 takes any text of the right length for the one it compiled: the head names the very file, as it was, and the Node
 * that made code of it.
 */
function headFor({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  const { execPath, version, arch } = process;
  // In ASCII, whatever the path holds: as many bytes as characters.
  const names = [encodeURI(execPath), version, arch, dev, ino, size, mtimeMs, ctimeMs];
  return `untildone ${names.join(' ')}`.padEnd(HEAD_BYTES);
}

/** V8 dies of damaged code, so what was not written by us to its end, or was written to since, is not read. */
function readKept(file: string, head: string): Buffer | undefined {
  try {
    return fromFile(file, (fd, { size, mtimeMs }) => {
      if (mtimeMs !== WHOLE * 1000) return undefined;
      const bytes = Buffer.allocUnsafeSlow(size);
      readSync(fd, bytes);
      return bytes.toString('latin1', 0, head.length) === head ? bytes.subarray(head.length) : undefined;
    });
  } catch {
    return undefined;
  }
}

/**
 * By the calls that a hook makes anyway: every other one of Node's functions would have to be compiled first. A pipe is
 * not waited for.
 */
function fromFile<T>(file: string, use: (fd: number, stat: Stats) => T): T {
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > LARGEST)
      throw new Error(`${file} is no file of at most ${LARGEST} bytes`);
    return use(fd, stat);
  } finally {
    closeSync(fd);
  }
}

function writeKept(file: string, head: string, script: Script): void {
  const temp = `${file}.${process.pid}.tmp`;
  try {
    const fd = openSync(temp, 'wx', 0o600);
    try {
      writeAll(fd, Buffer.concat([Buffer.from(head), script.createCachedData()]));
      // Whole on the disk before it is called whole: a power cut must not leave a file that V8 dies of.
      fsyncSync(fd);
      futimesSync(fd, WHOLE, WHOLE);
    } finally {
      closeSync(fd);
    }
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
