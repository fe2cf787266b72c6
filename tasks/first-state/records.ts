/**
 * Records that an installation makes of its files. Their hashes and sizes would allow to recognise or guess hidden
 * content, and their lists name files that are removed.
 */
import { createHash } from 'node:crypto';

/** Python compiled it, with or without the source beside it. */
export function isBytecode(path: string): boolean {
  return path.endsWith('.pyc');
}

/** It is made again from its source, when it is not there. */
export function isCached(path: string): boolean {
  return /(?:^|\/)__pycache__\//.test(path);
}

/** A wheel's RECORD for other contents; `null`: the file is gone. Cached bytecode is gone in any case. */
export function rewriteRecord(text: string, covered: ReadonlyMap<string, Buffer | null>): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const parts = /^(.*),([^,]*),(\d*)(\r?)$/.exec(line);
      if (parts === null) return [line];
      const [, field = '', hash, , end = ''] = parts;
      const path = recordPath(field);
      if (isCached(path)) return [];
      const content = covered.get(path);
      if (content === null) return [];
      if (content === undefined || hash === '') return [line];
      const digest = createHash('sha256').update(content).digest('base64url');
      return [`${field},sha256=${digest},${content.length}${end}`];
    })
    .join('\n');
}

/** Names of the files that a RECORD lists. */
export function recordPaths(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const parts = /^(.*),[^,]*,\d*\r?$/.exec(line);
    return parts === null ? [] : [recordPath(parts[1]!)];
  });
}

/** As in CSV. */
function recordPath(field: string): string {
  return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
}

/** A list of names, as SOURCES.txt and installed-files.txt are, without those that `isGone`. */
export function rewriteList(text: string, isGone: (path: string) => boolean): string {
  return text
    .split('\n')
    .filter((line) => line.trim() === '' || !isGone(line.trim()))
    .join('\n');
}

/** Where a distribution was installed from, without what names the exact commit or archive. */
export function rewriteOrigin(text: string): string {
  try {
    const origin = JSON.parse(text) as { vcs_info?: Record<string, unknown>; archive_info?: unknown };
    if (origin.vcs_info !== undefined) origin.vcs_info.commit_id = '0'.repeat(40);
    if (origin.archive_info !== undefined) origin.archive_info = {};
    return JSON.stringify(origin);
  } catch {
    // What is no such record is kept as it is.
    return text;
  }
}
