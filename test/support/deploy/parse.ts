/** Reads the files of deploy/: units of systemd, Dockerfiles, YAML. */
import { parseAllDocuments } from 'yaml';

/** Settings of a unit by `Section.Name`, every value of each in order. */
export function parseUnit(text: string): { settings: Map<string, string[]>; problems: string[] } {
  const settings = new Map<string, string[]>();
  const problems: string[] = [];
  let section = '';
  text.split('\n').forEach((raw, index) => {
    const line = raw.trim();
    if (line === '' || /^[#;]/.test(line)) return;
    const [, named] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (named !== undefined) section = named;
    else if (name === undefined || value === undefined || section === '')
      problems.push(`line ${index + 1} is neither a section nor a setting: ${line}`);
    else settings.set(`${section}.${name}`, [...(settings.get(`${section}.${name}`) ?? []), value]);
  });
  return { settings, problems };
}

export interface Instruction {
  line: number;
  name: string;
  /** `--from=package`, by name. */
  flags: Record<string, string>;
  /** What follows, as one line. */
  text: string;
  /** Of an instruction in its JSON form. */
  words?: string[];
}

const INSTRUCTIONS =
  'ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR'.split(
    ' ',
  );

export function parseDockerfile(text: string): { instructions: Instruction[]; problems: string[] } {
  const instructions: Instruction[] = [];
  const problems: string[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1;
    let whole = lines[at] ?? '';
    if (/^\s*(?:#|$)/.test(whole)) continue;
    while (whole.endsWith('\\') && at + 1 < lines.length)
      whole = `${whole.slice(0, -1).trimEnd()} ${(lines[++at] ?? '').trim()}`;
    if (whole.endsWith('\\')) problems.push(`line ${line}: the last line goes on`);
    const read = readInstruction(line, whole.trim());
    if (typeof read === 'string') problems.push(read);
    else instructions.push(read);
  }
  return { instructions, problems };
}

function readInstruction(line: number, whole: string): Instruction | string {
  const [name = '', ...rest] = whole.split(/\s+/);
  if (!INSTRUCTIONS.includes(name)) return `line ${line}: there is no instruction ${name}`;
  const flags: Record<string, string> = {};
  while (rest[0]?.startsWith('--')) {
    const [flag = '', value = ''] = (rest.shift() ?? '').slice(2).split('=');
    flags[flag] = value;
  }
  // HEALTHCHECK and ONBUILD hold an instruction of their own.
  const text = whole.slice(whole.indexOf(rest.join(' ').split(' ')[0] ?? '', name.length + 1));
  const body = /^(?:HEALTHCHECK|ONBUILD)$/.test(name) ? text.replace(/^(?:CMD|RUN)\s+/, '') : text;
  if (!body.startsWith('[')) return { line, name, flags, text };
  try {
    const words: unknown = JSON.parse(body);
    if (Array.isArray(words) && words.every((word) => typeof word === 'string'))
      return { line, name, flags, text, words };
  } catch {
    // Said below.
  }
  return `line ${line}: ${name} is no list of texts in JSON: ${body}`;
}

export function parseYaml(text: string): { documents: unknown[]; problems: string[] } {
  const documents = parseAllDocuments(text, { uniqueKeys: true });
  const problems = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings].map(String));
  return { documents: documents.map((document) => document.toJS()), problems };
}

/** `15min`, `15m`, `900`, `1h 30min`: in seconds. */
export function secondsOf(text: string): number | undefined {
  const units: Record<string, number> = { '': 1, s: 1, sec: 1, m: 60, min: 60, h: 3600 };
  const parts = [...text.matchAll(/(\d+)\s*([a-z]*)/g)];
  if (parts.length === 0 || text.replace(/\d+\s*[a-z]*|\s/g, '') !== '') return undefined;
  const seconds = parts.map(([, amount, unit = '']) => Number(amount) * (units[unit] ?? Number.NaN));
  const sum = seconds.reduce((total, part) => total + part, 0);
  return Number.isNaN(sum) ? undefined : sum;
}

/** What lies at `spec.template.spec`, `containers.0.image`, ... */
export function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
      value,
    );
}

export function listAt(value: unknown, path: string): unknown[] {
  const list = at(value, path);
  return Array.isArray(list) ? list : [];
}

export function textAt(value: unknown, path: string): string {
  const text = at(value, path);
  return typeof text === 'string' || typeof text === 'number' ? String(text) : '';
}
