/** The parts of names of container images. */

export interface ImageName {
  /** `docker.io`, `ghcr.io`, `127.0.0.1:5000`. */
  registry: string;
  /** `library/debian`, `swebench/sweb.eval.x86_64.x`. */
  repository: string;
  tag: string;
  /** `sha256:…` of a name that pins itself. */
  digest: string | null;
}

/** The parts of a name, as container engines read it; null for what is no name. */
export function parseImage(name: string): ImageName | null {
  const found = /^(.+?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(name.trim());
  if (found === null) return null;
  const [, path, tag = 'latest', digest = null] = found;
  const [first = '', ...others] = path!.split('/');
  const hasHost = others.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const registry = hasHost ? canonicalHost(first) : 'docker.io';
  const below = (hasHost ? others.join('/') : path!).toLowerCase();
  if (!/^[a-z0-9]+(?:[._/-]+[a-z0-9]+)*$/.test(below)) return null;
  const repository = registry === 'docker.io' && !below.includes('/') ? `library/${below}` : below;
  return { registry, repository, tag, digest };
}

/** The whole name with its registry and tag; equal images have equal texts. */
export function imageText(image: ImageName | null): string | null {
  if (image === null) return null;
  const { registry, repository, tag, digest } = image;
  return `${registry}/${repository}:${tag}${digest === null ? '' : `@${digest}`}`;
}

function canonicalHost(host: string): string {
  return ['index.docker.io', 'registry-1.docker.io'].includes(host) ? 'docker.io' : host;
}
