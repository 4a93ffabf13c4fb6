// The notices of bundled packages: every licence asks that its text goes along with the code.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const LICENCE_FILE = /^(?:licen[cs]e|copying)(?:\.(?:md|txt))?$/i;

/**
 * Returns name, version and licence text of every package that has code in a bundle, from esbuild's metafiles, and of those
 * that files were copied from.
 */
export function thirdPartyNotices(metafiles, copied = []) {
  const inputs = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap((output) => Object.entries(output.inputs)),
  );
  const bundled = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const paths = [...bundled.map(([path]) => path), ...copied];
  const folders = new Set(paths.flatMap((path) => PACKAGE_FOLDER.exec(path) ?? []));
  const notices = [...folders].map(noticeOf).sort();
  return `${['untildone contains code of these packages.', ...notices].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => LICENCE_FILE.test(entry));
  if (file === undefined)
    throw new Error(`${folder} has no licence file: its code must not be bundled without one`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}`;
}
