/** A model door over a project: its model, its limits and its judge, asked by rollouts that run elsewhere. */
import { join } from 'node:path';
import { createNextStateJudge } from '../../agent/judge/next-state.ts';
import type { Policy } from '../../agent/policy.ts';
import type { Trained } from '../../agent/tree/labels.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import type { Listening } from '../../servers/http/listen.ts';
import { startModel } from '../../servers/model/server.ts';
import { policyFor } from '../../stages/rollouts/model.ts';
import { seedOf } from '../../stages/rollouts/task.ts';
import { SESSIONS } from '../episodes/stored-sessions.ts';
import { outputFolder } from '../export/made-by.ts';
import type { CommandIo } from '../io.ts';
import { openSession } from '../session.ts';
import { shown } from '../shown.ts';
import { packageVersion } from '../version.ts';
import type { ServeSettings } from './settings.ts';
import { tokenizerOf } from './tokenizer.ts';

export interface ModelDoorSettings extends Omit<ServeSettings, 'folder'> {
  /** Null: beside the project's other files for people. */
  folder: string | null;
  unit: 'step' | 'turns';
  train: Trained;
  /** Sessions at once. */
  most: number;
  /** Seconds without a request after which a session ends. */
  idleLimit: number;
  /** Bytes. */
  sampleRoom: number;
  /** Seconds for which ended sessions are kept. */
  keepSessions: number;
  /** Seconds that it waits at its end for replies. */
  drain: number;
}

export async function openModelDoor(
  project: ResolvedProject,
  settings: ModelDoorSettings,
  io: CommandIo,
): Promise<Result<Listening, string>> {
  const { agent } = project.config;
  if (agent?.model === undefined) return fault('the project has no agent.model');
  const tokenizer = await tokenizerOf(project);
  if (!tokenizer.ok) return tokenizer;
  const stop = new AbortController();
  const { folder, unit, train, most, idleLimit, sampleRoom, keepSessions, drain, entry, ...rest } = settings;
  const withheld = entry === 'none' ? 'a server with --no-token uses no secret of the project' : null;
  const session = await openSession(project, io, stop.signal, 'obey', withheld);
  const { services } = session;
  const closeSession = async () => {
    stop.abort();
    await session.close();
  };
  const refuse = async (why: string) => {
    await closeSession();
    return fault(why);
  };
  const log = (text: string): void =>
    void io.stderr.write(shown(services.secrets.redact(text.endsWith('\n') ? text : `${text}\n`)));
  const context = { ...services, log, waits: log };
  // Weights that are trained change under their name, so the name is enough.
  const identity = agent.model.identity ?? POLICY;
  const policy = await policyFor(agent.model, { weightsChange: true }, context);
  if (!policy.ok) return refuse(policy.fault.detail);
  const asked = agent.model.context ?? null;
  const judged = agent.step_rewards;
  let judge: Policy | null = null;
  if (judged !== undefined) {
    const opened = await policyFor(judged.model, { weightsChange: true }, context);
    if (!opened.ok) return refuse(opened.fault.detail);
    judge = opened.value;
  }
  const { steps = 0, cost = 0, tokens = 0 } = agent.limits;
  const started = await startModel({
    ...rest,
    drain: drain * 1000,
    version: packageVersion(),
    log,
    sessions: {
      folder: folder ?? join(outputFolder(project), SESSIONS),
      policy: policy.value,
      model: { name: agent.model.name ?? identity, identity },
      context: asked,
      agent: { type: agent.type, dialect: agent.dialect, actions: 'tool-calls' },
      limits: { steps, cost, tokens },
      seedOf: (instance, sample) => seedOf(agent.seed, instance, sample),
      judge:
        judge === null
          ? null
          : (seed, name) => createNextStateJudge(judged!, { policy: judge, seed, session: name }),
      ...{ unit, train, most, log, tokenizer: tokenizer.value, idleLimit: idleLimit * 1000, sampleRoom },
      keepSessions: keepSessions * 1000,
    },
  });
  if (!started.ok) return refuse(started.fault);
  const close = async () => {
    await started.value.close();
    await closeSession();
  };
  return success({ ...started.value, close });
}

/** Name of weights that change. */
const POLICY = 'policy';
