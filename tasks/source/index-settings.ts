/**
 * Where Python packages come from on this machine. pip and uv are configured by environment variables and pip.conf
 * files, so the same settings decide here: a machine on which `pip install` works needs nothing more.
 */

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { whenHidden } from '../../basics/absent.ts';

export interface IndexSettings {
  /** Simple-repository URLs, the default one first, without a slash at the end; may hold credentials. */
  indexes: string[];
  /** Folders, `file://` URLs or pages with links to packages. */
  findLinks: string[];
  /** Files with certificates to trust besides Node's own. */
  certificates: string[];
  /** Seconds without an answer after which a request is given up. */
  timeout: number;
}

const DEFAULT_INDEX = 'https://pypi.org/simple';

/** The settings that `env` and the pip.conf files it points to amount to. */
export function indexSettings(env: NodeJS.ProcessEnv): IndexSettings {
  const conf = pipConf(env);
  const first = (...values: (string | undefined)[]) => values.find((value) => value?.trim());
  const extra = [
    env.PIP_EXTRA_INDEX_URL ?? conf.get('extra-index-url'),
    env.UV_EXTRA_INDEX_URL,
    env.UV_INDEX,
  ];
  const main = first(
    env.PIP_INDEX_URL,
    env.UV_DEFAULT_INDEX,
    env.UV_INDEX_URL,
    conf.get('index-url'),
    DEFAULT_INDEX,
  );
  const isOff = isTrue(first(env.PIP_NO_INDEX, env.UV_NO_INDEX, conf.get('no-index')));
  return {
    indexes: isOff ? [] : unique([main, ...extra].flatMap(words).map(indexUrl)),
    findLinks: unique([
      ...words(first(env.PIP_FIND_LINKS, conf.get('find-links'))),
      ...words(env.UV_FIND_LINKS?.replaceAll(',', ' ')),
    ]),
    certificates: unique(
      [
        first(env.PIP_CERT, conf.get('cert')),
        env.SSL_CERT_FILE,
        env.REQUESTS_CA_BUNDLE,
        env.NODE_EXTRA_CA_CERTS,
      ].flatMap((file) => (file?.trim() ? [file.trim()] : [])),
    ),
    timeout: Number(first(env.PIP_DEFAULT_TIMEOUT, env.PIP_TIMEOUT, conf.get('timeout'))) || 60,
  };
}

/** uv allows `name=URL`; both tools ignore a slash at the end. */
function indexUrl(word: string): string {
  return word.replace(/^[\w.-]+=(?=[a-z]+:\/\/)/i, '').replace(/\/+$/, '');
}

function words(text: string | undefined): string[] {
  return text?.split(/\s+/).filter(Boolean) ?? [];
}

function unique(values: string[]): string[] {
  return [...new Set(values)];
}

function isTrue(text: string | undefined): boolean {
  return /^(1|true|yes|on|y|t)$/i.test(text?.trim() ?? '');
}

/** pip's option files in pip's order, later ones winning; [install] wins over [global] as for `pip install`. */
export function pipConf(env: NodeJS.ProcessEnv): Map<string, string> {
  const options = new Map<string, string>();
  for (const file of confFiles(env)) {
    const sections = parseIni(readText(file));
    for (const section of ['global', 'install']) {
      for (const [key, value] of sections.get(section) ?? []) options.set(key, value);
    }
  }
  return options;
}

function confFiles(env: NodeJS.ProcessEnv): string[] {
  if (env.PIP_CONFIG_FILE === '/dev/null') return [];
  const home = env.HOME ?? homedir();
  const systemFolders = (env.XDG_CONFIG_DIRS || '/etc/xdg').split(':').filter(Boolean);
  return [
    ...systemFolders.map((folder) => join(folder, 'pip', 'pip.conf')),
    '/etc/pip.conf',
    join(home, '.pip', 'pip.conf'),
    join(env.XDG_CONFIG_HOME || join(home, '.config'), 'pip', 'pip.conf'),
    ...(env.VIRTUAL_ENV ? [join(env.VIRTUAL_ENV, 'pip.conf')] : []),
    ...(env.PIP_CONFIG_FILE ? [env.PIP_CONFIG_FILE] : []),
  ];
}

/** pip ignores a file that may not be read, too. */
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return whenHidden('')(error);
  }
}

/** Python's configparser as far as pip.conf needs it: sections, `key = value`, indented continuation lines. */
function parseIni(text: string): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>();
  let section = new Map<string, string>();
  let key: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*([#;]|$)/.test(line)) continue;
    const header = /^\[([^\]]+)\]/.exec(line);
    const option = /^([^\s=:][^=:]*)[=:](.*)$/.exec(line);
    if (header) {
      section = sections.get(header[1]!) ?? new Map();
      sections.set(header[1]!, section);
      key = undefined;
    } else if (/^\s/.test(line) && key !== undefined) {
      section.set(key, `${section.get(key)} ${line.trim()}`.trim());
    } else if (option) {
      key = option[1]!.trim().toLowerCase().replaceAll('_', '-');
      section.set(key, option[2]!.trim());
    }
  }
  return sections;
}
