/** The text forms of a source: what a row, a project file or a template says about where code comes from. */
import { fault, type Result, success } from '../../basics/result.ts';
import { type InvalidRow, invalidRow } from './fault.ts';
import type { Release } from './release.ts';

/** The forms of a source, for messages. */
export const SOURCE_FORMS =
  'pypi:NAME==VERSION, go:MODULE@VERSION, npm:NAME@VERSION, crate:NAME@VERSION, git+URL@REF or archive:PATH-OR-URL';

export type SourceSpec =
  | { kind: 'pypi'; name: string; version: string }
  | ({ kind: 'release' } & Release)
  | { kind: 'git'; url: string; ref: string }
  | { kind: 'archive'; place: string; sha256: string | null };

/**
 * Reads `pypi:NAME==VERSION`, `go:MODULE@VERSION`, `npm:NAME@VERSION`, `crate:NAME@VERSION`, `git+URL@REF` or
 * `archive:PATH-OR-URL`; an archive may end with `#sha256=HEX`, which pins it without a look at it.
 */
export function parseSpec(text: string): Result<SourceSpec, InvalidRow> {
  // Specs are kept in records and shown in reports.
  if (/^(git\+|archive:)https?:\/\/[^/]*@/i.test(text)) {
    const shown = text.replace(/\/\/[^/]*@/, '//');
    return fault(invalidRow(`source "${shown}" must not hold a login; git and pip have other places for it`));
  }
  const pypi = /^pypi:([A-Za-z0-9][\w.-]*)==([\w.!+-]+)$/.exec(text);
  if (pypi) return success({ kind: 'pypi', name: pypi[1]!, version: pypi[2]! });
  const [, registry, module, release] =
    /^(go|npm|crate):(@?[A-Za-z0-9][\w.~/-]*)@(v?\d[\w.+-]*)$/.exec(text) ?? [];
  if (registry !== undefined && !module!.split('/').some((part) => part === '' || /^\.+$/.test(part)))
    return success({
      ...{ kind: 'release', registry: registry as Release['registry'] },
      ...{ name: module!, version: release! },
    });
  if (text.startsWith('git+')) return parseGit(text.slice('git+'.length));
  const archive = /^archive:([^#]+)(?:#sha256=([0-9a-fA-F]{64}))?$/.exec(text);
  if (archive) {
    return success({ kind: 'archive', place: archive[1]!, sha256: archive[2]?.toLowerCase() ?? null });
  }
  return fault(invalidRow(`source "${text}": write ${SOURCE_FORMS}`));
}

/** The ref follows the last @ of the path; an earlier one belongs to the user, as in ssh://git@host/path. */
function parseGit(text: string): Result<SourceSpec, InvalidRow> {
  const pathStart = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(text)?.[0].length ?? 0;
  const at = text.indexOf('@', pathStart) === -1 ? -1 : text.lastIndexOf('@');
  const url = text.slice(0, at);
  const ref = text.slice(at + 1);
  // What git would read as an option, a revision range or a command of its own is no ref.
  if (at <= 0 || ref === '' || (!isBefore(ref) && /^[-.]|\.\.|[\s~^:?*[\\\x00-\x1f]/.test(ref))) {
    return fault(invalidRow(`source "git+${text}" must end with @ and a commit, tag or branch`));
  }
  if (url.startsWith('-') || /^ext::|^[a-z]+::/i.test(url)) {
    return fault(invalidRow(`source "git+${url}": not a URL or path that is allowed here`));
  }
  return success({ kind: 'git', url, ref });
}

/** True for a full commit name, which is its own pin. */
export function isCommit(ref: string): boolean {
  return /^[0-9a-f]{40}$/.test(ref);
}

/** True for `COMMIT^`, the first of the commits that a full commit was made on. */
export function isBefore(ref: string): boolean {
  return /^[0-9a-f]{40}\^$/.test(ref);
}
