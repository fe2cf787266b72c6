/** An agent server over a project: its tasks, built where they are missing, and its agent, asked by any trainer. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { canonicalJson } from '../../basics/canonical.ts';
import { digestOf } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import { startAgent } from '../../servers/agent/agent.ts';
import type { Listening } from '../../servers/http/listen.ts';
import { episodeMaker } from '../episodes/make-episode.ts';
import { Tasks } from '../episodes/tasks.ts';
import { outputFolder } from '../export/made-by.ts';
import { hostCapacity } from '../host-capacity.ts';
import type { CommandIo } from '../io.ts';
import { openSession } from '../session.ts';
import { shown } from '../shown.ts';
import { packageVersion } from '../version.ts';
import type { ServeSettings } from './settings.ts';
import { tokenizerOf } from './tokenizer.ts';

export interface AgentSettings extends Omit<ServeSettings, 'folder'> {
  /** Null: beside the project's other files for people. */
  folder: string | null;
  /** Rollouts at once; null: as many as the machine holds workspaces. */
  concurrent: number | null;
  waiting: number;
  /** Seconds. */
  idleLimit: number;
}

export async function openAgent(
  project: ResolvedProject,
  settings: AgentSettings,
  io: CommandIo,
): Promise<Result<Listening, string>> {
  if (project.config.agent === undefined) return fault('the project has no agent');
  const tokenizer = await tokenizerOf(project);
  if (!tokenizer.ok) return tokenizer;
  const stop = new AbortController();
  const { folder, concurrent, entry, ...rest } = settings;
  const withheld = entry === 'none' ? 'a server with --no-token uses no secret of the project' : null;
  const session = await openSession(project, io, stop.signal, 'obey', withheld);
  const { sandbox = 1 } = hostCapacity(project.config);
  const log = (text: string): void =>
    void io.stderr.write(text.endsWith('\n') ? shown(text) : shown(`${text}\n`));
  const options = {
    services: session.services,
    tasks: new Tasks(session),
    gradings: availableParallelism(),
    tokenizer: tokenizer.value,
  };
  const episodes = episodeMaker(options);
  const started = await startAgent({
    ...rest,
    make: episodes.make,
    basisOf: episodes.basisOf,
    folder: folder ?? join(outputFolder(project), 'episodes'),
    project: digestOf(canonicalJson(project.config)),
    concurrent: concurrent ?? sandbox,
    version: packageVersion(),
    log,
  });
  const closeBench = async () => {
    stop.abort();
    await episodes.close();
    await session.close();
  };
  if (!started.ok) {
    await closeBench();
    return started;
  }
  const close = async () => {
    await started.value.close();
    await closeBench();
  };
  return success({ ...started.value, close });
}
