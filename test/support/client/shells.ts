import { existsSync } from 'node:fs';

export const SESSION = '3f6c1a52-0000-4000-8000-1234567890ab';

/** Those of this machine that a client may run a hook's line with. */
export const SHELLS = [['/bin/sh'], ['/bin/bash', '--norc', '--posix']].filter(([program]) =>
  existsSync(program ?? ''),
);
