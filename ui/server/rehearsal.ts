/** The last rehearsal of the project's training, as `swemake rehearse` wrote it. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { outputFolder } from '../../app/export/made-by.ts';
import type { RehearsalResult } from '../../app/rehearsal/rehearse.ts';
import { whenAbsent } from '../../basics/absent.ts';
import type { RehearsalView } from '../shapes.ts';
import type { LiveProject } from './live-project.ts';

/** `rehearsal` null: there was none. */
export async function rehearsal({ snapshot }: LiveProject): Promise<{ rehearsal: RehearsalView | null }> {
  const { session } = snapshot;
  const path = join(outputFolder(session.project), 'rehearsal/rehearsal.json');
  const text = await readFile(path, 'utf8').catch(whenAbsent(null));
  if (text === null) return { rehearsal: null };
  const result = JSON.parse(session.services.secrets.redact(text)) as RehearsalResult;
  const { framework, tasks, measured, batch, options, diagnostics, unread, replaced, unchecked } = result;
  return {
    rehearsal: {
      ...{ at: (await stat(path)).mtimeMs, framework, tasks: tasks.of, ids: tasks.ids },
      // A rehearsal of an earlier version counted no turns.
      turns: measured?.turns ?? null,
      ...{ rollouts: measured?.rollouts ?? [], share: measured?.share ?? null, judged: result.engine.judged },
      ...{ drift: measured?.drift ?? 0, sequences: batch?.sequences ?? 0, promised: batch?.promised ?? 0 },
      ...{ steps: batch?.steps ?? 0, plannedSteps: batch?.plannedSteps ?? 0 },
      ...{ options: options?.given ?? 0, checked: options?.checked ?? 0 },
      found: diagnostics.map(({ file, line, message, remedy }) => ({
        file,
        line,
        message,
        remedy: remedy ?? '',
      })),
      ...{ unread, replaced, unchecked },
    },
  };
}
