/** How registries are reached whose clients have the usual variables for proxies and certificates. */
import type { Connection } from './answer.ts';

const TIMEOUT = 60;

/** `certificates`: further files with certificates, as the client's own settings name them. */
export function usualConnection(env: NodeJS.ProcessEnv, ...certificates: (string | undefined)[]): Connection {
  const files = [...certificates, env.SSL_CERT_FILE, env.NODE_EXTRA_CA_CERTS];
  return {
    env,
    certificates: [...new Set(files.flatMap((file) => (file?.trim() ? [file.trim()] : [])))],
    timeout: TIMEOUT,
  };
}
