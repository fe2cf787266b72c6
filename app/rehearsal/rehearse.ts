/** A dress rehearsal of a training: tasks, stand-in engine, agent server, the generated command, and what came of it. */

import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { asksModel } from '../../agent/kinds/registry.ts';
import { agentSettings } from '../../agent/resolve.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import { type Result, success } from '../../basics/result.ts';
import type { Diagnostic } from '../../compiler/diagnostic.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import { rlOf } from '../../contract/config.ts';
import { joined } from '../../trainers/definition.ts';
import { findTrainer, TRAINERS } from '../../trainers/registry.ts';
import type { Rehearsal } from '../../trainers/rehearsal.ts';
import type { RlTrainer } from '../../trainers/trainer.ts';
import { outputFolder } from '../export/made-by.ts';
import type { CommandIo } from '../io.ts';
import { openSession } from '../session.ts';
import { shown } from '../shown.ts';
import { openAgentServer } from './agent-server.ts';
import type { DriverReport } from './driver-report.ts';
import { type Unread, unreadAgent, unreadTrainer } from './effects.ts';
import { type EngineLog, startEngine } from './endpoint.ts';
import { findings } from './findings.ts';
import { type Launched, launchRehearsal } from './launch.ts';
import { type Measured, measure } from './measure.ts';
import { diagnosticOf } from './place.ts';
import { comparePrompts } from './prompts.ts';
import { type NoRehearsal, no } from './refusal.ts';
import { SPOKEN } from './scripts.ts';
import { type RehearsalTasks, rehearsalTasks, type Wanted } from './tasks.ts';
import { type EngineTokenizer, engineTokenizer } from './tokenizer.ts';
import { sharesFolder, uncheckedWeights, weightsFindings } from './weights.ts';

export interface RehearsalOptions {
  wanted: Wanted;
  tasks: number;
  standIns: boolean;
  /** Seconds. */
  timeout: number;
}

/** Written as JSON. */
export interface RehearsalResult {
  project: string;
  framework: string;
  folder: string;
  tasks: { of: 'project' | 'quickstart'; ids: string[] };
  replaced: string[];
  options: DriverReport['options'] | null;
  functions: DriverReport['functions'];
  command: DriverReport['command'];
  measured: Measured | null;
  groups: DriverReport['groups'];
  evaluations: DriverReport['evaluations'];
  batch: DriverReport['batch'];
  engine: Pick<EngineLog, 'refused' | 'judged' | 'dropped'>;
  gpus: { each: number; nodes: number; judge: number };
  memory: { rollouts: number; bytes: number | null };
  /** Settings that had no effect on the training. */
  unread: Unread[];
  unchecked: string[];
  diagnostics: Diagnostic[];
}

export async function rehearse(
  project: ResolvedProject,
  options: RehearsalOptions,
  io: CommandIo,
  signal: AbortSignal,
): Promise<Result<RehearsalResult, NoRehearsal>> {
  const found = rehearsed(project, options);
  if (!found.ok) return found;
  const folder = join(outputFolder(project), 'rehearsal');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const context: Context = { ...found.value, project, options, folder, io, signal };
  const stage = await setStage(context);
  if (!stage.ok) return stage;
  const ran = await runTraining(context, stage.value);
  if (!ran.ok) return ran;
  const result = resultOf(context, stage.value, ran.value);
  await writeFile(join(folder, 'rehearsal.json'), `${JSON.stringify(result, null, 1)}\n`);
  return success(result);
}

interface Context {
  project: ResolvedProject;
  options: RehearsalOptions;
  table: Rehearsal;
  trainer: RlTrainer;
  /** Where the rehearsal writes. */
  folder: string;
  io: CommandIo;
  signal: AbortSignal;
}

/** What the training finds: tasks, the agent's settings and texts, and the engine's tokenizer. */
interface Stage {
  made: RehearsalTasks;
  settings: AgentSettings;
  tokens: EngineTokenizer;
}

async function setStage({
  project,
  options,
  table,
  folder,
  io,
  signal,
}: Context): Promise<Result<Stage, NoRehearsal>> {
  say(io, 'tasks …');
  // A server that the command starts of the project file knows no tasks of the quickstart.
  const wanted = options.wanted === 'any' && mayServe(project, table) ? 'project' : options.wanted;
  const made = await rehearsalTasks(project, wanted, options.tasks, join(folder, 'data'), io, signal);
  if (!made.ok)
    return no(
      'data',
      made.fault,
      'check the dataset and the network, or rehearse with --tasks quickstart',
      3,
    );
  const settings = await agentSettings(project.config.agent!, undefined, readerOf(project));
  if (!settings.ok) return no('agent', settings.fault, 'mend the agent', 2);
  const texts = [
    SPOKEN,
    ...Object.values(settings.value.templates),
    ...made.value.tasks.flatMap((one) => [one.problem, one.solution]),
  ];
  const tokens = await engineTokenizer(project, texts, folder);
  if (!tokens.ok)
    return no(
      'agent.model.tokenizer',
      tokens.fault,
      'name a folder with tokenizer.json and a chat template',
      2,
    );
  return success({ made: made.value, settings: settings.value, tokens: tokens.value });
}

/** What came of the generated command. */
interface Ran {
  launched: Launched;
  log: EngineLog;
  /** Settings of the trainer and of the agent that had no effect. */
  unread: { trainer: Unread[]; agent: Unread[] };
  prompts: Awaited<ReturnType<typeof comparePrompts>>;
  /** Parts of the agent server that the rehearsal left out. */
  unchecked: string[];
}

/** Starts the stand-in engine and the agent server, runs the training's command, and ends them. */
async function runTraining(context: Context, stage: Stage): Promise<Result<Ran, NoRehearsal>> {
  const { project, options, table, trainer, folder, io, signal } = context;
  const engine = await openEngine(context, stage);
  if (!engine.ok) return engine;
  const close: (() => Promise<void>)[] = [() => engine.value.close()];
  try {
    const server = await openAgentServer(stage.made.project, folder, io);
    if (!server.ok) return server;
    if (server.value.close !== null) close.push(server.value.close);
    const session = await openSession(project, io, signal);
    close.push(() => session.close());
    say(io, 'rollouts …');
    const launched = await launchRehearsal({
      ...{ project, trainer, table, data: stage.made.data },
      ...{ tokenizer: stage.tokens.folder, port: engine.value.port, work: folder },
      ...{ standIns: options.standIns, processes: session.services.processes, env: io.env },
      ...{ timeout: options.timeout, signal },
    });
    const { report } = launched;
    const ofTrainer =
      report === null || report.rollouts.length === 0
        ? []
        : await unreadTrainer(project, { trainer, job: launched.job, table }, report);
    const serves = mayServe(project, table);
    const ofAgent = serves ? [] : await unreadAgent(project, server.value.close !== null);
    const { log } = engine.value;
    const prompts = await comparePrompts(project, log.shown, readerOf(project));
    const unread = { trainer: ofTrainer, agent: ofAgent };
    const unchecked = [
      ...server.value.unchecked,
      ...(serves ? ['which keys of agent reach an agent server that the command itself starts'] : []),
      ...(report?.numbered === false
        ? ['whether each log-probability is that of its token: the command computes them from logits']
        : []),
      ...uncheckedWeights(launched),
    ];
    return success({ launched, log, unread, prompts, unchecked });
  } finally {
    for (const one of close.reverse()) await one();
  }
}

async function openEngine({ project: { config }, table }: Context, { made, settings, tokens }: Stage) {
  const { model } = config.agent!;
  const engine = await startEngine({
    ...{ port: portOf(model?.base_url), protocol: table.engine, tokenizer: tokens.tokenizer },
    ...{ settings, tasks: made.tasks, model: model?.name ?? 'model' },
    window: 2 * rlOf(config).max_context,
  });
  if (engine.ok) return engine;
  const message = `the stand-in engine cannot listen: ${engine.fault}`;
  return no('agent.model.base_url', message, 'end what uses the port, or write another one in base_url', 3);
}

function resultOf(context: Context, { made, tokens }: Stage, ran: Ran): RehearsalResult {
  const { project, table, folder, io } = context;
  const { launched, log, unread, prompts } = ran;
  const { report } = launched;
  const rl = rlOf(project.config);
  const measured = report === null ? null : measure(report, log);
  const problems = [
    ...findings({
      ...{ launched, table, log, measured, unread: unread.trainer },
      judges: project.config.agent!.step_rewards !== undefined,
      isShared: sharesFolder(project),
    }),
    ...weightsFindings(launched, table),
  ];
  return {
    ...{ project: project.config.name, framework: rl.type, folder, tasks: { of: made.of, ids: made.ids } },
    replaced: replacedBy(made, tokens, launched),
    options: report?.options ?? null,
    functions: report?.functions ?? [],
    command: report?.command ?? null,
    measured,
    groups: report?.groups ?? [],
    evaluations: report?.evaluations ?? null,
    batch: report?.batch ?? null,
    engine: { refused: log.refused, judged: log.judged, dropped: log.dropped },
    gpus: { each: launched.gpus, nodes: rl.nodes, judge: 'prm' in rl ? (rl.prm?.gpus ?? 0) : 0 },
    unread: [
      ...unread.trainer.map(({ key, why }) => ({ key: `trainer.rl.${key}`, why })),
      ...unread.agent.map(({ key, why }) => ({ key: `agent.${key}`, why })),
    ],
    memory: memoryOf(project),
    unchecked: [
      ...ran.unchecked,
      ...prompts.unchecked,
      'memory of the GPUs, speed, and whether the training learns',
    ],
    diagnostics: [...problems, ...prompts.findings].map((one) => diagnosticOf(one, project, io.cwd)),
  };
}

/** Whether the command itself may start an agent server: then its own program decides which, and of what. */
function mayServe({ config }: ResolvedProject, { options }: Rehearsal): boolean {
  return options.style === 'own' && rlOf(config).env.SWEMAKE_AGENT_URL === undefined;
}

/** What the rehearsal put in the place of the training's own parts, for people. */
function replacedBy(made: RehearsalTasks, tokens: EngineTokenizer, launched: Launched): string[] {
  return [
    'the model: scripts for solved, unsolved, overflow, format, overlong, slow and dropped rollouts',
    ...(tokens.replaced === null ? [] : [tokens.replaced]),
    ...(made.of === 'quickstart'
      ? ['the tasks: those of the quickstart, since none of the project was validated here']
      : []),
    ...launched.replaced,
    ...(launched.report?.replaced ?? []),
  ];
}

const readerOf = (project: ResolvedProject) => (path: string) =>
  readFile(resolve(project.folder, path), 'utf8');

function say(io: CommandIo, text: string): void {
  io.stderr.write(shown(`${text}\n`));
}

function rehearsed(
  { config, folder }: ResolvedProject,
  { standIns }: RehearsalOptions,
): Result<{ table: Rehearsal; trainer: RlTrainer }, NoRehearsal> {
  const rl = config.trainer?.rl;
  const trainer = findTrainer(rl?.type)?.rl;
  if (rl === undefined || trainer === undefined)
    return no('type', 'the project has no RL training, and only those are rehearsed', 'add trainer.rl', 2);
  const table = trainer.rehearsal?.(rl);
  if (table === undefined)
    return no('type', `there is no rehearsal of ${rl.type}`, `rehearse ${joined(rehearsable(), 'or')}`, 2);
  if (rl.command !== undefined && table.options.style !== 'own')
    return no(
      'command',
      'what a command of your own does with rollouts is not known',
      'remove it for a rehearsal: --set trainer.rl.command=null',
      2,
    );
  const { agent } = config;
  if (agent === undefined || !asksModel(agent.type))
    return no(
      'agent',
      'the scripts take the part of a model that a model answers, and the project has none',
      'add agent: { type: bash, model: … }',
      2,
    );
  if (rl.folder !== undefined && !existsSync(resolve(folder, rl.folder)) && !standIns)
    return no(
      'folder',
      `${rl.type} is not installed: ${rl.folder} is not there`,
      'fetch its checkout, or rehearse with --stand-ins',
      3,
    );
  return success({ table, trainer });
}

/** What can be rehearsed, for people. */
function rehearsable(): string[] {
  return TRAINERS.filter(({ rl }) => rl?.rehearsal !== undefined).map(({ title }) => title);
}

function portOf(address: string | undefined): number {
  if (address === undefined || !URL.canParse(address)) return 0;
  const url = new URL(address);
  return ['127.0.0.1', 'localhost'].includes(url.hostname) ? Number(url.port || 0) : 0;
}

/** What all rollouts of a step need at once. */
function memoryOf({ config }: ResolvedProject): RehearsalResult['memory'] {
  const { batch, samples } = rlOf(config);
  const most = Math.min(batch * samples, config.resources?.rollout ?? batch * samples);
  const name = config.agent!.deployment ?? config.validation.deployment;
  const limits =
    name === undefined ? undefined : (config.deployments[name] as { limits?: { memory?: number } }).limits;
  return { rollouts: most, bytes: limits?.memory === undefined ? null : most * limits.memory };
}
