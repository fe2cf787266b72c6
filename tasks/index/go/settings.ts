/** Where Go's modules come from on this machine: its variables, and the file that `go env -w` writes. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { whenAbsent } from '../../../basics/absent.ts';
import { proxiesOf } from './proxy.ts';

const DEFAULT_PROXY = 'https://proxy.golang.org';

/** Proxies in the order in which they are asked. */
export function goProxies(env: NodeJS.ProcessEnv): string[] {
  return proxiesOf(env.GOPROXY || savedIn(env).GOPROXY || DEFAULT_PROXY);
}

function savedIn(env: NodeJS.ProcessEnv): Record<string, string> {
  if (env.GOENV === 'off') return {};
  const config = env.XDG_CONFIG_HOME || join(env.HOME ?? homedir(), '.config');
  const lines = textOf(env.GOENV || join(config, 'go', 'env')).split('\n');
  return Object.fromEntries(
    lines.flatMap((line) => [...line.matchAll(/^(\w+)=(.*)$/g)].map(([, k, v]) => [k, v])),
  );
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return whenAbsent('')(error);
  }
}
