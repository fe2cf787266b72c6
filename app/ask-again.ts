/**
 * How each kind of question about something that was not found is asked again, and what it is called for people. An answer
 * is a fault if no server could be asked: that changes nothing.
 */
import type { Response } from 'undici';
import { type Result, success } from '../basics/result.ts';
import type { Services } from '../contract/machine.ts';
import { ABSENT, type Sought } from '../schemas/absence.ts';
import { type Infra, infra, isFault } from '../schemas/outcome.ts';
import { hubGet } from '../stages/dataset/readers/hub-api.ts';
import { packageAnswer, releaseAnswer } from '../tasks/index/release-answer.ts';
import { sdistOf } from '../tasks/source/archive-file.ts';
import type { SourceDeps } from '../tasks/source/deps.ts';
import { type SourceFault, withoutCredentials } from '../tasks/source/fault.ts';
import { commitMirror, resolveRef } from '../tasks/source/git-mirror.ts';
import { sourceDepsOf } from '../tasks/source/instance-source.ts';
import { isCommit } from '../tasks/source/spec.ts';
import { isWebPage } from '../tasks/source/web-page.ts';

/** What is there now is looked at by what runs again. */
const THERE = 'there';

/** Asks the servers that may have it by now. */
export async function askAgain(
  sought: Sought,
  services: Services,
  signal: AbortSignal,
): Promise<Result<string, Infra>> {
  const deps: SourceDeps = { ...sourceDepsOf(services), signal };
  switch (sought.kind) {
    case 'git':
      return answerOf(
        isCommit(sought.ref)
          ? await commitMirror(sought.url, sought.ref, deps)
          : await resolveRef(sought.url, sought.ref, deps),
      );
    case 'url':
      return answerOf(await deps.http.get(sought.url, { signal }, isFile));
    case 'hub':
      return answerOf(await hubGet(sought.url, { id: '', revision: '' }, deps, {}, isFile));
    case 'sdist':
      return answerOf(await sdistOf({ kind: 'pypi', name: sought.project, version: sought.version }, deps));
    case 'release': {
      const { project, version, asOf } = sought;
      if (services.packageIndex === undefined) return unasked('there is no package index');
      return releaseAnswer(services.packageIndex, project, version, asOf);
    }
    case 'package': {
      const { dialect, name, version, asOf } = sought;
      if (services.packageIndex === undefined) return unasked('there is no package index');
      return packageAnswer(services.packageIndex, { dialect, name, version }, asOf);
    }
    default:
      // A newer version of swemake, with the same cache, knows more kinds.
      return unasked('this version of swemake cannot ask for it');
  }
}

/** A question in words, without passwords. */
export function soughtText(sought: Sought): string {
  switch (sought.kind) {
    case 'git':
      return `commit, tag or branch ${sought.ref} of ${withoutCredentials(sought.url)}`;
    case 'url':
    case 'hub':
      return withoutCredentials(sought.url);
    case 'sdist':
      return `source distribution ${sought.project}==${sought.version} on the package index`;
    case 'release': {
      const { project, version, asOf } = sought;
      const what = version === null ? `files of ${project}` : `${project}==${version}`;
      return `${what} on the package index${asOf === null ? '' : ` as of ${asOf}`}`;
    }
    case 'package': {
      const { dialect, name, version, asOf } = sought;
      const what = version === null ? name : `${name} ${version}`;
      return `${what} of the ${dialect} registry${asOf === null ? '' : ` as of ${asOf}`}`;
    }
    default:
      return (sought as { kind: string }).kind;
  }
}

function answerOf(found: Result<unknown, SourceFault>): Result<string, Infra> {
  if (found.ok) return success(THERE);
  return isFault(found.fault) ? { ok: false, fault: found.fault } : success(ABSENT);
}

function unasked(detail: string): Result<never, Infra> {
  return { ok: false, fault: infra('source-fetch', detail) };
}

/** A login page is nothing that was not there before. */
async function isFile({ body, url }: Response): Promise<Result<null, Infra>> {
  const reader = body?.getReader();
  const first = (await reader?.read())?.value ?? new Uint8Array();
  await reader?.cancel();
  return isWebPage(first) ? unasked(`${withoutCredentials(url)}: a web page, or nothing`) : success(null);
}
