import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';

/**
 * `UNTILDONE_TEST_NODE` names another Node, on which all programs of a test run, above all the hooks; vitest stays on its own.
 * Then nothing of the program is a call in the process of the tests. `npm run test:all` plays the tests of the hook so, on each
 * Node of `scripts/nodes.json`.
 */
export const otherNode = chosenNode(process.env.UNTILDONE_TEST_NODE);

if (otherNode !== undefined && process.execPath !== otherNode) {
  // What tests and installed hooks start by a path, and what is found by its name.
  process.execPath = otherNode;
  process.env.PATH = `${dirname(otherNode)}${delimiter}${process.env.PATH}`;
}

/** As Node names itself: without links. */
function chosenNode(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  if (!existsSync(path)) throw new Error(`UNTILDONE_TEST_NODE names ${path}, which does not exist`);
  return realpathSync(path);
}
