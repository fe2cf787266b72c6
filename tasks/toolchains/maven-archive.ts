/** Toolchains in a repository of Maven's layout, which is asked as Maven itself would ask, with the machine's settings. */
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
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
): Result<Archive, Infra> {
  const { repositories, logins } = mavenSettings(env);
  const [first] = repositories;
  if (first === undefined)
    return fault(
      infra(
        'tool-missing',
        `${artifact} ${version}: Maven’s settings.xml names no repository that is reached by HTTP`,
      ),
    );
  const login = logins.get(first);
  return success({
    url: `${first}/${artifact}/${version}/${artifact.slice(artifact.lastIndexOf('/') + 1)}-${version}-${file}`,
    headers: login === undefined ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` },
    http: httpClient(usualConnection(env)),
    programs: ['bin'],
  });
}
