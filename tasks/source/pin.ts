/** Names a source by content: a branch becomes a commit, a version an archive's sha256. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import type { PinnedSource } from '../../schemas/instance.ts';
import { infra } from '../../schemas/outcome.ts';
import { archiveSha256 } from './archive-file.ts';
import type { SourceDeps } from './deps.ts';
import type { SourceFault } from './fault.ts';
import { resolveRef } from './git-mirror.ts';
import { isCommit, parseSpec, type SourceSpec } from './spec.ts';

/**
 * Pins `spec` (see `parseSpec`). A full commit and an archive with a sha256 need no network; what cannot change,
 * such as a version on a package index, is looked up once and remembered.
 */
export async function pinSource(spec: string, deps: SourceDeps): Promise<Result<PinnedSource, SourceFault>> {
  const parsed = parseSpec(spec);
  if (!parsed.ok) return parsed;
  const locked = deps.locked?.get(spec);
  const pinned =
    locked === undefined
      ? await deps.sharedWork.share(`pin ${spec}`, () => pin(spec, parsed.value, deps))
      : success(lockedSource(spec, parsed.value, locked));
  if (pinned.ok) deps.onPin?.(spec, pinned.value.digest);
  return pinned;
}

function lockedSource(spec: string, parsed: SourceSpec, digest: string): PinnedSource {
  if (parsed.kind !== 'git') return { spec: bareSpec(spec), digest };
  return { spec: `git+${parsed.url}@${digest.replace(/^git:/, '')}`, digest };
}

async function pin(
  spec: string,
  parsed: SourceSpec,
  deps: SourceDeps,
): Promise<Result<PinnedSource, SourceFault>> {
  if (parsed.kind === 'git') {
    // A commit that was fetched before needs its repository no more.
    const missing = isCommit(parsed.ref) ? null : missingFolder(parsed.url, deps.projectFolder);
    // What lies on this machine may be there the next time.
    if (missing !== null)
      return fault(infra('source-fetch', `source ${spec}: there is no folder ${missing}`));
    const commit = await resolveRef(parsed.url, parsed.ref, deps);
    if (!commit.ok) return commit;
    return success({ spec: `git+${parsed.url}@${commit.value}`, digest: `git:${commit.value}` });
  }
  const pinned = (sha256: string) => success({ spec: bareSpec(spec), digest: `sha256:${sha256}` });
  const memoKey = isLasting(parsed) ? `pin ${bareSpec(spec)}` : null;
  const known = memoKey === null ? undefined : await deps.memo.get(memoKey);
  if (known !== undefined) return pinned(known);
  const sha256 = await archiveSha256(parsed, deps);
  if (!sha256.ok) return sha256;
  if (memoKey !== null) await deps.memo.set(memoKey, sha256.value);
  return pinned(sha256.value);
}

/** The folder that a path means, when it is not there; null for URLs and for folders that are. */
function missingFolder(url: string, projectFolder: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) || /^[\w.-]+@[\w.-]+:/.test(url)) return null;
  return existsSync(resolve(projectFolder, url)) ? null : url;
}

/** A version on a registry and a file behind a URL are taken to stay; a local file is looked at each time. */
function isLasting(parsed: Exclude<SourceSpec, { kind: 'git' }>): boolean {
  return parsed.kind !== 'archive' || (parsed.sha256 === null && /^https?:\/\//i.test(parsed.place));
}

function bareSpec(spec: string): string {
  return spec.replace(/#sha256=.*$/, '');
}
