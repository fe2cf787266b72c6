/**
 * Reads SWE-smith's profiles of other languages than Python, which are Dockerfiles, as a spec of SWE-bench's: versions of
 * programs from base images and Debian's packages, and the commands before and after the repository is there. Pure.
 */
import { statements } from '../../basics/shell.ts';
import type { LanguageSpec } from './imported-languages.ts';

export interface DockerSpec {
  spec: LanguageSpec;
  /** Variables of the image that its commands may read. */
  env: Record<string, string>;
  notes: string[];
}

/** Programs of base images, and of Debian's packages. */
const VERSIONS: readonly [name: string, pattern: RegExp][] = [
  ['go_version', /^FROM golang:([\d.]+)/m],
  ['rust_version', /^FROM rust:([\d.]+)/m],
  ['node_version', /^FROM node:(\d[\d.]*)/m],
  ['node_version', /\bdeb\.nodesource\.com\/setup_(\d+)/],
  ['node_version', /\bnvm (?:install|use) v?(\d[\d.]*)/],
  ['java_version', /^FROM (?:\S+ )?\S*?(?:temurin[:-]|openjdk[:-]|-jdk-?)(\d+)/m],
  ['java_version', /\b(?:openjdk-|zulu)(\d+)-jdk/],
  ['maven_version', /^FROM maven:([\d.]+)/m],
  ['pnpm_version', /\bpnpm@(\d+\.\d+\.\d+|\d+(?![\d.]))/],
];
/** The Maven of Debian's and Ubuntu's releases: what Surefire prints depends on it. */
const PACKAGED_MAVEN: readonly [image: RegExp, version: string][] = [
  [/^FROM ubuntu:18\.04/m, '3.6.0'],
  [/^FROM ubuntu:2[02]\.04/m, '3.6.3'],
  [/^FROM ubuntu:(?:24\.04|latest)|^FROM \S+-bookworm/m, '3.8.7'],
];
/** Variables of how an image is made or found, which have no meaning where programs are layers. */
const OF_IMAGE = /^(?:DEB\w*|DEBCONF_\w+|TZ|PATH|JAVA_HOME|ANDROID_\w+|COREPACK_\w+|PNPM_HOME|NODE_ENV)$/;
/** What a recipe does in another way: the source, its modules, the package manager and Debian's lists. */
const DONE =
  /^(?:git clone|rm -rf \/var\/lib\/apt|apt-get clean|corepack |npm (?:install|i) (?:-g|--global) (?:pnpm|yarn|npm|corepack)|go mod (?:tidy|download)|true$|:$)/;

/** Debian's packages of what toolchains have, and of Git. */
const OWN_PACKAGES =
  / (?:git|bash|maven|gradle|openjdk-\d+-jdk\S*|zulu\d+-jdk|nodejs|npm|golang\S*|cargo|rustc)(?=\s|$)/g;
/** In a URL; a project file has none. */
export const PASSWORD = /(?<=:\/\/[^\s/@:]*):[^\s/@]+@/;

/** `test`: its command, which images run once for what it downloads. `scripted`: commands that a script of the image runs after them. */
export function dockerSpec(dockerfile: string, test: string, scripted: readonly string[] = []): DockerSpec {
  const lines = dockerfile
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim());
  const has = lines.findIndex((line) => /^RUN\b.*\bgit clone\b/.test(line));
  const found: DockerSpec = { spec: { docker_specs: {} }, env: {}, notes: [] };
  for (const [name, pattern] of VERSIONS) {
    const version = pattern.exec(dockerfile)?.[1];
    if (version !== undefined) found.spec.docker_specs = { [name]: version, ...found.spec.docker_specs };
  }
  const packaged = PACKAGED_MAVEN.find(([image]) => image.test(dockerfile))?.[1];
  if (packaged !== undefined && lines.some((line) => /\bapt(?:-get)? .*\bmaven\b/.test(line)))
    found.spec.docker_specs = { maven_version: packaged, ...found.spec.docker_specs };
  const before = lines.slice(0, has).flatMap(commandsOf);
  const install = lines
    .slice(has)
    .flatMap(commandsOf)
    // One of several lines is no line of a Dockerfile.
    .concat(
      scripted
        .filter((command) => !isApt(command))
        .flatMap((command) => (command.includes('\n') ? [command] : commandsOf(`RUN ${command}`))),
    )
    .filter((command) => !isTest(command, test));
  found.spec.pre_install = [...before, ...scripted].filter(isApt).flatMap(installs);
  for (const command of before.filter((one) => !isApt(one)))
    found.notes.push(`left out, as it changes the system: ${command}`);
  for (const line of lines) takeVariables(line, found);
  const hasPassword = (command: string) => PASSWORD.test(command);
  for (const command of install.filter(hasPassword))
    found.notes.push(`left out, as it has a password: ${command.replace(PASSWORD, ':…@')}`);
  found.spec.install = install.filter((command) => !hasPassword(command));
  return { ...found, spec: { ...found.spec, test_cmd: inRepository(test) } };
}

/** Its installations of Debian's packages, without those that toolchains have. */
function installs(command: string): string[] {
  return statements(command)
    .map(({ text }) => text)
    .filter(isApt)
    .map((text) => text.replace(OWN_PACKAGES, ''));
}

const isApt = (command: string) => /\bapt(?:-get)? (?:-\S+ )*install\b/.test(command);

/** Each RUN has a shell of its own, so a folder that it enters is none of the next. */
function commandsOf(line: string): string[] {
  const run = /^RUN\s+(?:--\S+\s+)*(.+)$/.exec(line)?.[1];
  if (run === undefined) return [];
  const parts = statements(run);
  const isPlain = parts.every(({ joint }, at) => joint === '&&' || at === 0);
  const kept = isPlain ? parts.map(({ text }) => text.trim()).filter((text) => !DONE.test(text)) : [run];
  if (kept.length === 0) return [];
  const command = inRepository(kept.join(' && '));
  return [/^cd | && cd /.test(command) ? `( ${command.replace(/\bmkdir (?!-p)/, 'mkdir -p ')} )` : command];
}

/** Images have it in /testbed, a folder of root's. */
function inRepository(command: string): string {
  return command.replace(/(^|[\s="':])(?:~|\/root)?\/(?:testbed|app)(?=\/|\s|"|'|$)/g, '$1.').trim();
}

function isTest(command: string, test: string): boolean {
  const bare = (text: string) =>
    inRepository(text)
      .replace(/^\( | \)$| \|\| true$| -count=1\b/g, '')
      .trim();
  return bare(command) === bare(test) || (/\|\| true( \))?$/.test(command) && /\btest\b/.test(command));
}

function takeVariables(line: string, { env, notes }: DockerSpec): void {
  if (!line.startsWith('ENV ')) return;
  for (const [, name = '', quoted, bare = ''] of line.matchAll(/(\w+)=(?:"([^"]*)"|(\S*))/g)) {
    const value = quoted ?? bare;
    if (OF_IMAGE.test(name)) continue;
    if (PASSWORD.test(value)) notes.push(`left out, as it has a password: ${name}`);
    else if (/\$|\/usr\/|\/opt\//.test(value))
      notes.push(`left out, as it is of the image: ${name}=${value}`);
    else env[name] = value;
  }
}
