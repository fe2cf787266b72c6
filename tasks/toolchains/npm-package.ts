/** Toolchains on npm's registry, asked for as npm itself would ask, with the machine's settings. */
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { askNpm } from '../index/npm/packages.ts';
import { npmSettings } from '../npm/settings.ts';
import { httpClient } from '../source/http.ts';
import type { Archive } from './go-proxy.ts';

export async function npmArchive(
  name: string,
  version: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Result<Archive, Infra>> {
  const found = await askNpm(env, signal).get(name, true);
  if (!found.ok) return fault(infra('package-index', found.fault.detail));
  const url = found.value.value.versions[version]?.dist.tarball;
  if (url === undefined) return fault(infra('tool-missing', `npm’s registry has no ${name} ${version}`));
  const { certificates, env: proxied, timeout, headersOf } = npmSettings(env);
  return success({
    url,
    headers: headersOf(url),
    http: httpClient({ env: proxied, certificates, timeout }),
    programs: ['bin'],
  });
}
