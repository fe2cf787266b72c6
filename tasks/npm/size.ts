/** How large an installation will be, as the registry says it. */
import type { AgentInstall } from '../../schemas/generated/project.ts';
import type { NpmPackages } from '../index/npm/packages.ts';
import type { PackumentVersion } from '../index/npm/packument.ts';

/** `NAME@VERSION`, or a name alone. */
function parted(spec: string): { name: string; version: string } {
  const at = spec.indexOf('@', 1);
  return at < 0
    ? { name: spec, version: 'latest' }
    : { name: spec.slice(0, at), version: spec.slice(at + 1) };
}

/**
 * Bytes of the packages that are named, of their programs for this platform and of their Node. What they depend on besides is not
 * counted. `bytes` null: the registry does not have it. The whole null: it does not answer, or has not all of them.
 */
export async function installedBytes(
  { npm = [], node }: AgentInstall,
  registry: Pick<NpmPackages, 'get'>,
  platform = `linux-${process.arch}`,
): Promise<{ bytes: number | null } | null> {
  const specs = [...npm, ...(node === undefined ? [] : [`node-${platform}@${node}`])];
  let sum = 0;
  for (const spec of specs) {
    const found = await versionOf(spec, registry);
    if (found === null) return null;
    sum += found.dist.unpackedSize ?? 0;
    for (const [name, wanted] of Object.entries(found.optionalDependencies ?? {})) {
      // A package for one platform: its name, or the version behind its alias, ends with it.
      if (!name.endsWith(platform)) continue;
      const own = await versionOf(
        wanted.startsWith('npm:') ? wanted.slice(4) : `${name}@${wanted}`,
        registry,
      );
      sum += own?.dist.unpackedSize ?? 0;
    }
  }
  return { bytes: sum === 0 ? null : sum };
}

async function versionOf(spec: string, registry: Pick<NpmPackages, 'get'>): Promise<PackumentVersion | null> {
  const { name, version } = parted(spec);
  const read = await registry.get(name, true);
  if (!read.ok) return null;
  const { versions, 'dist-tags': tags = {} } = read.value.value;
  return versions[tags[version] ?? version] ?? null;
}
