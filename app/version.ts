/** The version of swemake itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../basics/package-root.ts';

export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string })
    .version;
}
