/** The version of swemake itself, for people, and with the code that it names, for machines that must be alike. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildId } from '../basics/build-id.ts';
import { packageRoot } from '../basics/package-root.ts';

export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string })
    .version;
}

/** Such as `1.0.0 (build 0a1b2c3d4e5f)`. */
export function fullVersion(): string {
  return `${packageVersion()} (build ${buildId()})`;
}
