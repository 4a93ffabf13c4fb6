/** How package managers are told in which packages of a workspace a script is run. */
export interface WorkspaceWords {
  /** Names or folders of packages, `*` for any characters; empty where no package is named. */
  packages: string[];
  /** The words without them. */
  rest: string[];
}

const NAMING = /^(?:-w|--workspace|-F|--filter)$/;
const NAMING_AT_ONCE = /^(?:--workspace|--filter)=(.+)$/;
const ALL = /^(?:-ws|--workspaces|-r|--recursive)$/;

export function workspaceWords(words: readonly string[]): WorkspaceWords {
  const packages: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    // What follows is the script's.
    if (word === '--') break;
    if (ALL.test(word)) packages.push('*');
    else if (NAMING.test(word)) packages.push(plain(words[++at] ?? ''));
    else if (NAMING_AT_ONCE.test(word)) packages.push(plain(NAMING_AT_ONCE.exec(word)?.[1] ?? ''));
    else rest.push(word);
  }
  const [first, name = ''] = rest;
  if (first === 'workspace') return { packages: [...packages, plain(name)], rest: rest.slice(2) };
  if (first !== 'workspaces') return { packages, rest };
  return { packages: ['*'], rest: rest.slice(1).filter((word) => word !== 'foreach') };
}

/** pnpm: `...` takes those that depend, or are depended on, too. */
function plain(name: string): string {
  return name.replace(/^\.\.\.|\^?\.\.\.$/g, '').replace(/^\.\/|\/$/g, '');
}
