/**
 * The layout of Maven's repositories, and their `maven-metadata.xml`: the versions of an artifact, of which the file tells no times, and the
 * builds of a snapshot.
 */

/** What a path of a repository asks for. */
export type AskedArtifact =
  | { kind: 'metadata'; folder: string; sidecar: Sidecar | null }
  | { kind: 'file'; path: string; sidecar: Sidecar | null };

export type Sidecar = 'md5' | 'sha1' | 'sha256' | 'sha512';

/** Reads a path below a repository; null: no artifact can have this path. */
export function parseArtifactPath(path: string): AskedArtifact | null {
  const parts = path.split('/');
  if (parts.length < 2 || parts.some((part) => !/^[\w.+~-]+$/.test(part) || /^\.+$/.test(part))) return null;
  const [, whole = path, sidecar = null] = /^(.*)\.(md5|sha1|sha256|sha512)$/.exec(path) ?? [];
  const folder = whole.slice(0, whole.lastIndexOf('/'));
  const isMetadata = whole.endsWith('/maven-metadata.xml');
  return isMetadata
    ? { kind: 'metadata', folder, sidecar: sidecar as Sidecar | null }
    : { kind: 'file', path: whole, sidecar: sidecar as Sidecar | null };
}

/** The text of a `maven-metadata.xml`; null: the bytes are something else. */
export function parseMetadata(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  return /<metadata[\s>]/.test(text) && text.includes('</metadata>') ? text : null;
}

/** Versions of an artifact in the order of the file; none for a snapshot or a group of plugins. */
export function versionsOf(metadata: string): string[] {
  const list = /<versions>([\s\S]*?)<\/versions>/.exec(metadata)?.[1] ?? '';
  return [...list.matchAll(/<version>\s*([^<\s]+)\s*<\/version>/g)].map(([, version]) => version!);
}

/** Path of a version's POM in the repository. `folder`: the folder of its artifact. */
export function pomOf(folder: string, version: string): string {
  return `${folder}/${version}/${folder.slice(folder.lastIndexOf('/') + 1)}-${version}.pom`;
}

/** The time in `lastUpdated` (`yyyymmddHHMMSS`, UTC) in milliseconds; null: the file has none. */
export function lastUpdatedOf(metadata: string): number | null {
  const [, y, m, d, H, M, S] =
    /<lastUpdated>\s*(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\s*<\/lastUpdated>/.exec(metadata) ?? [];
  return y === undefined ? null : Date.UTC(+y, +m! - 1, +d!, +H!, +M!, +S!);
}

export interface DatedVersion {
  version: string;
  /** In milliseconds; null: the repository does not say. */
  at: number | null;
}

/**
 * The file as it was when the artifact had only the versions `there`. `latest` and `release` name the version published last;
 * if no time is known, the last of the list.
 */
export function metadataAsOf(metadata: string, there: readonly DatedVersion[]): string {
  const newest = (versions: readonly DatedVersion[]) =>
    versions.reduce<DatedVersion | null>((best, one) => ((best?.at ?? 0) > (one.at ?? 0) ? best : one), null);
  const latest = newest(there);
  const release = newest(there.filter(({ version }) => !version.endsWith('-SNAPSHOT')));
  const tag = (name: string, value: string | undefined) => (text: string) =>
    text.replace(new RegExp(`\\s*<${name}>[^<]*</${name}>`), (whole) =>
      value === undefined ? '' : whole.replace(/>[^<]*</, `>${value}<`),
    );
  const list = there.map(({ version }) => `\n      <version>${version}</version>`).join('');
  const edits = [
    tag('latest', latest?.version),
    tag('release', release?.version),
    tag('lastUpdated', latest?.at == null ? undefined : stampOf(latest.at)),
    (text: string) =>
      text.replace(/<versions>[\s\S]*?<\/versions>/, () => `<versions>${list}\n    </versions>`),
  ];
  return edits.reduce((text, edit) => edit(text), metadata);
}

function stampOf(at: number): string {
  return new Date(at)
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replaceAll(/\D/g, '');
}
