import { DIGEST_CODE } from './digest-code.ts';

/**
 * SHA-256 for the hook, which ends a few milliseconds after it began: loading `node:crypto` would take longer than
 * everything that it is needed for (ADR 9). Where there is no WebAssembly, `node:crypto` does the same.
 */
export function sha256(text: string): string {
  const engine = sharedEngine();
  if (!engine) return nodeCrypto().createHash('sha256').update(text).digest('hex');
  const bytes = put(engine, text, DATA);
  engine.sha256(DATA, bytes, RESULT);
  return engine.memory.toString('hex', RESULT, RESULT + HASH);
}

export function hmacSha256(key: string, text: string): string {
  const engine = sharedEngine();
  if (!engine) return nodeCrypto().createHmac('sha256', key).update(text).digest('hex');
  if (engine.key !== key) putKey(engine, key);
  const bytes = put(engine, text, DATA + BLOCK);
  engine.pad(KEY, DATA, 0x36363636);
  engine.sha256(DATA, BLOCK + bytes, RESULT);
  engine.pad(KEY, OUTER, 0x5c5c5c5c);
  engine.sha256(OUTER, BLOCK + HASH, RESULT);
  return engine.memory.toString('hex', RESULT, RESULT + HASH);
}

/** The compiled digest.wat, which says what lies below 0x300. */
interface Engine {
  memory: Buffer;
  sha256(at: number, bytes: number, to: number): void;
  pad(key: number, to: number, by: number): void;
  /** Adds so many pages; `memory` has to be had anew. */
  grow(pages: number): Buffer;
  /** The one that lies at `KEY`. */
  key?: string;
}

const HASH = 32;
const BLOCK = 64;
/** The outer block of an HMAC and behind it, as the result of the inner one, what it is followed by. */
const OUTER = 0x300;
const RESULT = OUTER + BLOCK;
const KEY = 0x380;
const DATA = 0x400;
const PAGE = 0x10000;

/** Returns how many bytes were put there. */
function put(engine: Engine, text: string, at: number): number {
  // No character takes more than three bytes for each of its units; behind the text comes the end of its last block.
  makeRoom(engine, at + text.length * 3 + 2 * BLOCK);
  return engine.memory.write(text, at);
}

function makeRoom(engine: Engine, bytes: number): void {
  const missing = bytes - engine.memory.length;
  if (missing > 0) engine.memory = engine.grow(Math.ceil(missing / PAGE));
}

/** Filled up with zeros; one that is longer than a block is digested first. */
function putKey(engine: Engine, key: string): void {
  engine.memory.set(new Uint8Array(BLOCK), KEY);
  const bytes = put(engine, key, DATA);
  if (bytes > BLOCK) engine.sha256(DATA, bytes, KEY);
  else engine.memory.write(key, KEY);
  engine.key = key;
}

const SHARED: unique symbol = Symbol.for('untildone.digest');
/** Each bundle of a process has a copy of this module: they share one engine. */
const shared = globalThis as { [SHARED]?: Engine | 'none' };

function sharedEngine(): Engine | undefined {
  shared[SHARED] ??= makeEngine();
  return shared[SHARED] === 'none' ? undefined : shared[SHARED];
}

/** As much as is used here: the types of Node 20 know nothing of it. */
interface WithWebAssembly {
  WebAssembly: {
    Module: new (code: Uint8Array) => object;
    Instance: new (
      module: object,
    ) => {
      exports: Pick<Engine, 'sha256' | 'pad'> & {
        memory: { buffer: ArrayBuffer; grow(pages: number): number };
      };
    };
  };
}

/** None without WebAssembly (`node --jitless`), or when there is no memory for it. */
function makeEngine(): Engine | 'none' {
  try {
    const { WebAssembly } = globalThis as unknown as WithWebAssembly;
    const module = new WebAssembly.Module(Buffer.from(DIGEST_CODE, 'base64'));
    const { memory, sha256, pad } = new WebAssembly.Instance(module).exports;
    const grow = (pages: number) => {
      memory.grow(pages);
      return Buffer.from(memory.buffer);
    };
    return { memory: Buffer.from(memory.buffer), sha256, pad, grow };
  } catch {
    return 'none';
  }
}

function nodeCrypto(): typeof import('node:crypto') {
  return process.getBuiltinModule?.('node:crypto') ?? require('node:crypto');
}
