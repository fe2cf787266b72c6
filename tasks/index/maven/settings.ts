/** Where Maven's artifacts come from on this machine: the mirror of Central and further repositories of `settings.xml`. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { whenAbsent } from '../../../basics/absent.ts';

const CENTRAL = 'https://repo.maven.apache.org/maven2';

export interface MavenSettings {
  /** In the order in which they are asked, without slashes at their ends. */
  repositories: string[];
  /** Name and password of a repository, by its address. */
  logins: ReadonlyMap<string, string>;
}

export function mavenSettings(env: NodeJS.ProcessEnv): MavenSettings {
  const home = env.MAVEN_USER_HOME || join(env.HOME ?? homedir(), '.m2');
  const xml = textOf(join(home, 'settings.xml')).replace(/<!--[\s\S]*?-->/g, '');
  const value = (text: string, tag: string) =>
    new RegExp(`<${tag}>\\s*([^<]*?)\\s*</${tag}>`)
      .exec(text)?.[1]
      ?.replace(/\$\{env\.([^}]+)\}/g, (whole, name: string) => env[name] ?? whole)
      .replaceAll('&amp;', '&');
  const blocks = (tag: string) =>
    [...xml.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, text]) => ({
      id: value(text!, 'id') ?? '',
      url: (value(text!, 'url') ?? '').replace(/\/+$/, ''),
      mirrorOf: (value(text!, 'mirrorOf') ?? '').split(',').map((one) => one.trim()),
      login: [value(text!, 'username'), value(text!, 'password')],
    }));
  const mirrors = blocks('mirror').filter(
    ({ mirrorOf }) =>
      mirrorOf.some((one) => ['*', 'central', 'external:*'].includes(one)) && !mirrorOf.includes('!central'),
  );
  const central = mirrors[0] ?? { id: 'central', url: CENTRAL };
  const all = [central, ...blocks('repository')].filter(({ url }) => /^https?:\/\//i.test(url));
  const logins = blocks('server').flatMap(({ id, login: [user, password] }) => {
    const named = all.find((one) => one.id === id);
    return named === undefined || user === undefined || password === undefined
      ? []
      : [[named.url, `${user}:${password}`] as const];
  });
  return { repositories: [...new Set(all.map(({ url }) => url))], logins: new Map(logins) };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return whenAbsent('')(error);
  }
}
