/** What has to hold of the files in deploy/, each rule with the words that tell what is wrong. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { at, listAt, parseDockerfile, parseUnit, parseYaml, secondsOf, textAt } from './parse.ts';

/** What the program itself says. */
export interface Facts {
  root: string;
  version: string;
  /** Options of `untildone worker`. */
  flags: Set<string>;
  /** Variables that the program reads. */
  variables: Set<string>;
  /** Packages of the image, with their versions. */
  packages: Record<string, string>;
  healthPath: string;
  readyPath: string;
  port: number;
  /** How long a worker that drains lets iterations go on, unless --drain-timeout says otherwise. */
  drainSeconds: number;
  /** Names of figures on the page for Prometheus. */
  figures: Set<string>;
  /** Variables that with-secrets.sh reads from files. */
  secretVariables: Set<string>;
}

/** Variables that are not ours. */
const OTHERS = new Set(['ANTHROPIC_API_KEY', 'PATH', 'HOME', 'WORKER_FLAGS']);
const SECRET_NAME = /SECRET|TOKEN|PASSWORD|API_KEY/;
const WITH_PASSWORD = /:\/\/[^/@]*:[^/@]+@/;

export function unitProblems(text: string, facts: Facts): string[] {
  const { settings, problems } = parseUnit(text);
  const last = (name: string) => settings.get(name)?.at(-1) ?? '';
  const user = last('Service.User');
  const command = last('Service.ExecStart').split(/\s+/);
  return [
    ...problems,
    ...commandProblems(
      command.filter((word) => !word.startsWith('$')),
      facts,
    ),
    ...(user === '' || user === 'root' ? ['the unit runs as root'] : []),
    ...graceProblems('TimeoutStopSec', last('Service.TimeoutStopSec'), command, facts),
    ...(last('Service.KillMode') === 'mixed'
      ? []
      : ['KillMode is not mixed: runs would be cut off by the first signal']),
    ...(last('Service.Restart') === 'on-failure'
      ? []
      : ['Restart is not on-failure: a drained worker would come back']),
    ...(last('Service.OOMPolicy') === 'continue'
      ? []
      : ['OOMPolicy is not continue: one gate without memory would end all runs']),
    ...(settings.has('Service.EnvironmentFile') ? [] : ['no EnvironmentFile']),
    ...(settings.get('Service.Environment') ?? []).flatMap((line) =>
      variableProblems(line.split('=')[0] ?? '', line.split('=').slice(1).join('='), facts),
    ),
    ...AGAINST_WALLS.filter((name) => settings.has(`Service.${name}`)).map(
      (name) => `${name} keeps bubblewrap from working`,
    ),
    ...(last('Service.SystemCallFilter') !== '' && !last('Service.SystemCallFilter').startsWith('~')
      ? ['SystemCallFilter allows only what it names: bubblewrap mounts and makes namespaces']
      : []),
  ];
}

const AGAINST_WALLS =
  'RestrictNamespaces ProtectKernelTunables ProtectKernelLogs ProtectProc ProcSubset PrivateUsers MemoryDenyWriteExecute RootDirectory'.split(
    ' ',
  );

/** NAME=value lines, as systemd reads them. Secrets are left for you to fill in. */
export function environmentProblems(text: string, facts: Facts): string[] {
  return text
    .split('\n')
    .filter((line) => !/^\s*(?:#|$)/.test(line))
    .flatMap((line) => {
      const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
      return name === undefined || value === undefined
        ? [`no NAME=value: ${line}`]
        : variableProblems(name, value, facts);
    });
}

export function dockerfileProblems(text: string, facts: Facts): string[] {
  const { instructions, problems } = parseDockerfile(text);
  const all = (name: string) => instructions.filter((each) => each.name === name);
  const last = (name: string) => all(name).at(-1);
  const stages = all('FROM').map(({ text }) => / AS (\w+)$/.exec(text)?.[1]);
  const health = last('HEALTHCHECK')?.words?.join(' ') ?? '';
  const start = [...(last('ENTRYPOINT')?.words ?? []), ...(last('CMD')?.words ?? [])];
  return [
    ...problems,
    ...all('FROM').flatMap(({ text }) => imageProblems(text.split(' ')[0] ?? '')),
    ...all('COPY').flatMap(({ text, flags, line }) => copyProblems(text, flags.from, stages, line, facts)),
    ...all('RUN').flatMap(({ text }) => packageProblems(text, facts)),
    ...(/npm install/.test(
      all('RUN')
        .map(({ text }) => text)
        .join('\n'),
    )
      ? missingPackages(text, facts)
      : []),
    ...(/^[1-9]\d*(?::[1-9]\d*)?$/.test(last('USER')?.text ?? '')
      ? []
      : ['USER is not a number other than 0']),
    ...(last('STOPSIGNAL')?.text === 'SIGTERM' ? [] : ['STOPSIGNAL is not SIGTERM']),
    ...(last('EXPOSE')?.text === String(facts.port) ? [] : [`EXPOSE is not ${facts.port}`]),
    ...(health.includes(`:${facts.port}${facts.healthPath}'`)
      ? []
      : [`HEALTHCHECK does not ask for ${facts.healthPath} on ${facts.port}`]),
    ...(last('ENTRYPOINT')?.words ? commandProblems(start, facts) : ['ENTRYPOINT is no JSON list']),
    ...outsideProblems(start),
    ...[...all('ENV'), ...all('ARG')].flatMap(({ text }) => {
      const [, name = '', value = ''] = /^(\w+)[= ](.*)$/.exec(text) ?? [];
      return name === 'NODE_ENV'
        ? ['NODE_ENV would reach sessions and gates']
        : variableProblems(name, value, facts);
    }),
  ];
}

function copyProblems(
  text: string,
  from: string | undefined,
  stages: readonly (string | undefined)[],
  line: number,
  { root }: Facts,
): string[] {
  if (from !== undefined)
    return stages.includes(from) ? [] : [`line ${line}: there is no stage ${from} to copy from`];
  return text
    .split(/\s+/)
    .slice(0, -1)
    .filter((source) => !existsSync(join(root, source)))
    .map((source) => `line ${line}: ${source} is not there to be copied`);
}

/** Packages in a line of `npm install`: every one with the version that the tests ran with. */
function packageProblems(text: string, { packages }: Facts): string[] {
  const [, list = ''] = /npm install ([^&|;]*)/.exec(text) ?? [];
  return list
    .split(/\s+/)
    .filter((word) => word !== '' && !word.startsWith('-') && !word.startsWith('/'))
    .flatMap((word) => {
      const [, name = '', version] = /^(@?[^@]+)(?:@(.*))?$/.exec(word) ?? [];
      return packages[name] === version && version !== undefined
        ? []
        : [`${word}: the tests ran with ${name}@${packages[name] ?? 'nothing'}`];
    });
}

function missingPackages(text: string, { packages }: Facts): string[] {
  return Object.entries(packages)
    .filter(([name, version]) => !text.includes(`${name}@${version}`))
    .map(([name]) => `${name} is not installed`);
}

export function composeProblems(text: string, facts: Facts): string[] {
  const { documents, problems } = parseYaml(text);
  const services = at(documents[0], 'services') ?? {};
  const secrets = Object.keys(at(documents[0], 'secrets') ?? {});
  const command = ['untildone', 'worker', ...listAt(services, 'worker.command').map(String)];
  return [
    ...problems,
    ...Object.entries(services).flatMap(([name, service]) =>
      serviceProblems(service, secrets, facts).map((problem) => `${name}: ${problem}`),
    ),
    ...storeProblems(listAt(services, 'store.command').map(String)),
    ...commandProblems(command, facts),
    ...outsideProblems(command),
    ...graceProblems('stop_grace_period', textAt(services, 'worker.stop_grace_period'), command, facts),
    ...listAt(services, 'worker.volumes')
      .filter((volume) => String(volume).includes(':'))
      .map((volume) => `worker: all of them would share the volume ${volume}`),
    ...secrets
      .filter((name) => textAt(documents[0], `secrets.${name}.file`) === '')
      .map((name) => `the secret ${name} is not in a file`),
  ];
}

function serviceProblems(service: unknown, secrets: readonly string[], facts: Facts): string[] {
  const environment = Object.entries(at(service, 'environment') ?? {});
  return [
    ...imageProblems(textAt(service, 'image'), facts),
    ...listAt(service, 'secrets')
      .filter((name) => !secrets.includes(String(name)))
      .map((name) => `there is no secret ${name}`),
    ...(at(service, 'healthcheck') || at(service, 'build') ? [] : ['no healthcheck']),
    ...(at(service, 'privileged') || textAt(service, 'network_mode') === 'host'
      ? ['it may do what the machine may']
      : []),
    ...environment.flatMap(([name, value]) => {
      const [, base] = /^(\w+)_FILE$/.exec(name) ?? [];
      if (base === undefined) return variableProblems(name, String(value), facts);
      return facts.secretVariables.has(base) ? [] : [`${base} is not read from a file by with-secrets.sh`];
    }),
  ];
}

function storeProblems(command: readonly string[]): string[] {
  const value = (flag: string) => command[command.indexOf(flag) + 1];
  return [
    ...(value('--appendonly') === 'yes'
      ? []
      : ['store: appendonly is off, and a restart would empty the queue']),
    ...(value('--maxmemory-policy') === 'noeviction'
      ? []
      : ['store: maxmemory-policy is not noeviction, and runs would be thrown out']),
    ...(command.includes('--aclfile') ? [] : ['store: everybody may use it']),
  ];
}

export function manifestProblems(text: string, facts: Facts): string[] {
  const { documents, problems } = parseYaml(text);
  return [
    ...problems,
    ...documents.flatMap((document) => {
      const place = `${textAt(document, 'kind')} ${textAt(document, 'metadata.name')}`;
      const found =
        textAt(document, 'kind') === 'Deployment'
          ? deploymentProblems(document, facts)
          : textAt(document, 'kind') === 'ScaledObject'
            ? scalingProblems(document, facts)
            : [];
      const named = textAt(document, 'apiVersion') !== '' && textAt(document, 'metadata.name') !== '';
      return [...found, ...(named ? [] : ['no apiVersion, kind or name'])].map(
        (problem) => `${place}: ${problem}`,
      );
    }),
  ];
}

function deploymentProblems(document: unknown, facts: Facts): string[] {
  const pod = at(document, 'spec.template.spec');
  const labels = JSON.stringify(at(document, 'spec.template.metadata.labels'));
  const volumes = listAt(pod, 'volumes').map((volume) => textAt(volume, 'name'));
  return [
    ...(JSON.stringify(at(document, 'spec.selector.matchLabels')) === labels
      ? []
      : ['its selector does not find its pods']),
    ...graceProblems(
      'terminationGracePeriodSeconds',
      textAt(pod, 'terminationGracePeriodSeconds'),
      listAt(pod, 'containers.0.args').map(String),
      facts,
    ),
    ...(at(pod, 'securityContext.runAsNonRoot') === true ? [] : ['runAsNonRoot is not set']),
    ...(at(pod, 'automountServiceAccountToken') === false
      ? []
      : ['sessions would get a token of the cluster']),
    ...listAt(pod, 'containers').flatMap((container) => [
      ...containerProblems(container, facts),
      ...listAt(container, 'volumeMounts')
        .filter((mount) => !volumes.includes(textAt(mount, 'name')))
        .map((mount) => `there is no volume ${textAt(mount, 'name')}`),
    ]),
  ];
}

function containerProblems(container: unknown, facts: Facts): string[] {
  const args = listAt(container, 'args').map(String);
  const port = listAt(container, 'ports').find((each) => at(each, 'containerPort') === facts.port);
  const probes: [string, string][] = [
    ['startupProbe', facts.healthPath],
    ['livenessProbe', facts.healthPath],
    ['readinessProbe', facts.readyPath],
  ];
  return [
    ...imageProblems(textAt(container, 'image'), facts),
    ...commandProblems(['untildone', 'worker', ...args], facts),
    ...outsideProblems(args),
    ...(port ? [] : [`no port ${facts.port}`]),
    ...probes
      .filter(
        ([probe, path]) =>
          textAt(container, `${probe}.httpGet.path`) !== path ||
          ![String(facts.port), textAt(port, 'name')].includes(textAt(container, `${probe}.httpGet.port`)),
      )
      .map(([probe, path]) => `${probe} does not ask for ${path} on ${facts.port}`),
    ...listAt(container, 'env').flatMap((variable) => {
      const name = textAt(variable, 'name');
      const known = variableProblems(name, textAt(variable, 'value'), facts);
      const bySecret = textAt(variable, 'valueFrom.secretKeyRef.name') !== '';
      return bySecret || !SECRET_NAME.test(name) ? known : [...known, `${name} is not taken from a Secret`];
    }),
    ...(textAt(container, 'resources.limits.memory') !== '' &&
    textAt(container, 'resources.requests.cpu') !== ''
      ? []
      : ['no resources']),
    ...(at(container, 'securityContext.allowPrivilegeEscalation') === false &&
    listAt(container, 'securityContext.capabilities.drop').includes('ALL')
      ? []
      : ['it keeps rights that it does not need']),
  ];
}

function scalingProblems(document: unknown, { figures, port }: Facts): string[] {
  return listAt(document, 'spec.triggers').flatMap((trigger) => {
    const figure = textAt(trigger, 'metadata.valueLocation').replace(/\{.*/, '');
    return [
      ...(figures.has(figure) ? [] : [`workers tell no figure ${figure}`]),
      ...(textAt(trigger, 'metadata.url').endsWith(`:${port}/metrics`)
        ? []
        : [`its figures are not on :${port}/metrics`]),
      ...(Number(at(document, 'spec.minReplicaCount')) >= 1
        ? []
        : ['without a worker nobody tells the figure']),
    ];
  });
}

/** Exactly pinned, and ours with the version of this package. */
function imageProblems(image: string, facts?: Pick<Facts, 'version'>): string[] {
  const [, name = '', tag = ''] = /^(.*?)(?::([^:/]*))?$/.exec(image) ?? [];
  if (name.startsWith('untildone'))
    return tag === facts?.version ? [] : [`${image}: this is version ${facts?.version}`];
  return /\d+\.\d+\.\d+/.test(tag) ? [] : [`${image || 'an image'}: no exact version`];
}

/** The words after `untildone worker`. */
function commandProblems(words: readonly string[], { flags, port }: Facts): string[] {
  const start = words.indexOf('worker');
  if (start < 1 || words[start - 1] !== 'untildone') return [`no untildone worker: ${words.join(' ')}`];
  const rest = words.slice(start + 1);
  return [
    ...rest
      .filter((word) => word.startsWith('-') && !flags.has(word.replace(/=.*/, '')))
      .map((word) => `untildone worker has no option ${word}`),
    ...(['', String(port)].includes(flagValue(rest, '--health-port') ?? '')
      ? []
      : [`--health-port is not ${port}`]),
    ...(rest.some((word) => /rediss?:\/\//.test(word))
      ? ['a URL with a password would be seen in the list of processes']
      : []),
  ];
}

/** In a container, 127.0.0.1 is reached by nobody else. */
function outsideProblems(words: readonly string[]): string[] {
  return flagValue(words, '--health-host') === '0.0.0.0' ? [] : ['probes do not reach --health-host'];
}

function flagValue(words: readonly string[], flag: string): string | undefined {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  return at < 0 ? undefined : (words[at]?.split('=')[1] ?? words[at + 1]);
}

function variableProblems(name: string, value: string, { variables }: Facts): string[] {
  return [
    ...(variables.has(name) || OTHERS.has(name) ? [] : [`nothing reads the variable ${name}`]),
    ...(SECRET_NAME.test(name) && value !== '' ? [`${name} holds a value`] : []),
    ...(WITH_PASSWORD.test(value) ? [`${name} holds a password`] : []),
  ];
}

/** A worker that has to give up its iterations needs some seconds more, to put its runs back. */
const PUTTING_BACK_SECONDS = 15;

function graceProblems(
  name: string,
  grace: string,
  words: readonly string[],
  { drainSeconds }: Facts,
): string[] {
  const drain = secondsOf(flagValue(words, '--drain-timeout') ?? '') ?? drainSeconds;
  return (secondsOf(grace) ?? 0) >= drain + PUTTING_BACK_SECONDS
    ? []
    : [`${name} is ${grace || 'not set'}, and a worker drains for up to ${drain} s`];
}
