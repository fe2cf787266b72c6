/** Go's toolchains on a module proxy: zip files of the module golang.org/toolchain. https://go.dev/doc/toolchain */
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { goProxies } from '../index/go/settings.ts';
import { type Http, httpClient } from '../source/http.ts';

/** Where a toolchain is, and what asks for it. */
export interface Archive {
  url: string;
  headers: Record<string, string>;
  http: Http;
  /** Folders in it whose files are programs. */
  programs: string[];
}

const MACHINES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** From 1.21 on the first release of a line has a third number. */
const releaseOf = (version: string) => (/^1\.(?:2[1-9]|[3-9]\d)$/.test(version) ? `${version}.0` : version);

export function goArchive(version: string, env: NodeJS.ProcessEnv): Result<Archive, Infra> {
  const machine = MACHINES[process.arch];
  if (machine === undefined || process.platform !== 'linux')
    return fault(infra('tool-missing', `there is no Go for ${process.platform} ${process.arch} here`));
  const [first] = goProxies(env);
  if (first === undefined)
    return fault(infra('tool-missing', `Go ${version}: GOPROXY names no module proxy`));
  const certificates = [env.SSL_CERT_FILE, env.NODE_EXTRA_CA_CERTS].flatMap((file) => file || []);
  return success({
    url: `${first}/golang.org/toolchain/@v/v0.0.1-go${releaseOf(version)}.linux-${machine}.zip`,
    headers: {},
    http: httpClient({ env, certificates, timeout: 300 }),
    programs: ['bin', 'pkg/tool'],
  });
}
