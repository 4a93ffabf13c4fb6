/** The rules of a makefile, each with its head and the recipe under it. A line that ends with a backslash goes on. */
function rulesOf(makefile: string): string[][] {
  const rules: string[][] = [];
  let open = false;
  for (const line of makefile.split('\n')) {
    const isHead = /^[^\s#:=][^:=#]*:(?!:?:?=)/.test(line);
    if (isHead) rules.push([line]);
    else if (open && (line === '' || /^[\t ]/.test(line) || line.startsWith('#') || goesOn(rules.at(-1)))) {
      rules.at(-1)?.push(line);
      continue;
    }
    open = isHead;
  }
  return rules;
}

function goesOn(lines: readonly string[] | undefined): boolean {
  return lines?.at(-1)?.endsWith('\\') ?? false;
}

function targetsOf([head = '']: readonly string[]): string[] {
  return head.slice(0, head.indexOf(':')).trim().split(/\s+/);
}

/**
 * All rules for a target, the definitions of the variables in its commands, and the settings that decide how recipes are
 * run. An empty name means the target of the first rule.
 */
export function makeRule(makefile: string, target: string): string | undefined {
  const rules = rulesOf(makefile);
  const plain = rules.filter((rule) => !rule[0]?.startsWith('.'));
  const wanted = target === '' ? plain[0]?.slice(0, 1).flatMap((head) => targetsOf([head]))[0] : target;
  const own = plain.filter((rule) => wanted !== undefined && targetsOf(rule).includes(wanted));
  if (wanted === undefined || own.length === 0) return undefined;
  const text = own.map((rule) => rule.join('\n').trimEnd()).join('\n');
  const recipes = own.map(recipeOf).join('\n');
  return [text, ...variablesOf(makefile, recipes), ...settingsOf(makefile, rules, wanted)].join('\n');
}

function recipeOf([head = '', ...recipe]: readonly string[]): string {
  return [head.includes(';') ? head.slice(head.indexOf(';')) : '', ...recipe].join('\n');
}

/** Lists of sources and compiler flags are part of the work: they change as it grows. */
const SOURCES_AND_FLAGS =
  /^(?:.*_)?(?:SRCS?|SOURCES?|OBJS?|OBJECTS?|HEADERS?|HDRS?|DEPS?|LIBS?|LDLIBS|INCLUDES?|FILES|MODULES?|PACKAGES?|PKGS?|VERSION|C(?:PP|XX)?FLAGS|LDFLAGS)$/i;
const DEFINITION = /^[ \t]*(?:(?:export|override|private)[ \t]+)*([\w.-]+)[ \t]*(?:\?|\+|!|:{1,3})?=/;

/** The definitions of the variables that a text names, and of those that these name, in the order of the makefile. */
function variablesOf(makefile: string, text: string): string[] {
  const definitions = definitionsOf(makefile);
  const found = new Set<string>();
  const open = namesIn(text);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name) || SOURCES_AND_FLAGS.test(name)) continue;
    found.add(name);
    open.push(...definitions.filter((one) => one.name === name).flatMap((one) => namesIn(one.text)));
  }
  return definitions.filter(({ name }) => found.has(name)).map((one) => one.text);
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/\$[({]([\w.-]+)/g)].flatMap(([, name]) => name ?? []);
}

function definitionsOf(makefile: string): { name: string; text: string }[] {
  const lines = makefile.split('\n');
  return lines.flatMap((line, at) => {
    const block = /^[ \t]*(?:override[ \t]+)?define[ \t]+([\w.-]+)/.exec(line)?.[1];
    const name = line.startsWith('\t') ? undefined : (block ?? DEFINITION.exec(line)?.[1]);
    if (name === undefined) return [];
    const isLast = (one: string) => (block ? /^[ \t]*endef\b/.test(one) : !one.endsWith('\\'));
    let last = at;
    while (last < lines.length - 1 && !isLast(lines[last] ?? '')) last++;
    return [{ name, text: lines.slice(at, last + 1).join('\n') }];
  });
}

/** Variables that decide which shell runs recipes, and whether failures count. */
const SETTINGS = ['SHELL', '.SHELLFLAGS', 'MAKEFLAGS', 'GNUMAKEFLAGS', 'MAKEFILES', 'PATH'];

function settingsOf(makefile: string, rules: readonly string[][], target: string): string[] {
  const special = rules.flatMap((rule): string[] => {
    const [name = ''] = targetsOf(rule);
    const named = (rule[0] ?? '')
      .slice(name.length + 1)
      .trim()
      .split(/\s+/);
    if (name === '.ONESHELL') return [name];
    if (name === '.PHONY')
      return rule
        .join(' ')
        .split(/[\s:\\]+/)
        .includes(target)
        ? [`.PHONY: ${target}`]
        : [];
    return name === '.IGNORE' && (named.join('') === '' || named.includes(target))
      ? [`.IGNORE: ${target}`]
      : [];
  });
  const set = definitionsOf(makefile).filter(({ name }) => SETTINGS.includes(name));
  return [...set.map((one) => one.text), ...special];
}
