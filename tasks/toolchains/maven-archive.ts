/** Toolchains in a repository of Maven's layout, which is asked as Maven itself would ask, with the machine's settings. */
import { usualConnection } from '../index/connection.ts';
import { mavenSettings } from '../index/maven/settings.ts';
import { httpClient } from '../source/http.ts';
import type { Archive } from './go-proxy.ts';

/** artifact: its folder in the repository. file: what stands behind its name and version. */
export function mavenArchive(
  artifact: string,
  file: string,
  version: string,
  env: NodeJS.ProcessEnv,
): Archive {
  const { repositories, logins } = mavenSettings(env);
  const [first = ''] = repositories;
  const login = logins.get(first);
  return {
    url: `${first}/${artifact}/${version}/${artifact.slice(artifact.lastIndexOf('/') + 1)}-${version}-${file}`,
    headers: login === undefined ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` },
    http: httpClient(usualConnection(env)),
    programs: ['bin'],
  };
}
