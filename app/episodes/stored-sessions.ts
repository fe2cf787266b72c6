/** Sessions that a model door kept, for exports. A file is read when it is asked for. */
import { join } from 'node:path';
import type { ExportedRollout } from '../../agent/exports/rollout.ts';
import { namesIn } from '../../basics/folder.ts';
import { jsonObject } from '../../basics/json.ts';
import { readableText } from '../../basics/readable.ts';
import type { StoredSession } from '../../servers/model/sessions.ts';

/** The folder of a model door, beside the project's other files for people. */
export const SESSIONS = 'model-door';

/** Paths of the sessions that ended below the folder of a model door. */
export function sessionFiles(folder: string): string[] {
  const place = join(folder, 'sessions');
  return namesIn(place)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(place, name));
}

/** null: it is no session, or a machine or an endpoint ended it. */
export function readSession(path: string): StoredSession | null {
  const stored = jsonObject<StoredSession>(readableText(path));
  return stored?.format === 'swemake-session-1' && stored.ended?.fault === null ? stored : null;
}

/** `sample`: what it is called among those of its instance. */
export function exportedSession(stored: StoredSession, sample: string): ExportedRollout {
  const { instance_id, trajectory, timings, begun, ended } = stored;
  const { reward } = ended;
  const verdict = { reward, resolved: reward === 1, detail: 'as the caller of the session told it' };
  return {
    ...{ instance_id, sample, trajectory, patch: trajectory.patch, timings },
    verdict: reward === null ? null : verdict,
    report: null,
    startedAt: begun,
  };
}
