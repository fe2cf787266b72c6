/** A dress rehearsal of a training: tasks, stand-in engine, agent server, the generated command, and what came of it. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { asksModel } from '../../agent/kinds/registry.ts';
import { agentSettings } from '../../agent/resolve.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { publishToken } from '../../basics/server-token.ts';
import type { Diagnostic } from '../../compiler/diagnostic.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import { joined } from '../../trainers/definition.ts';
import { findTrainer, TRAINERS } from '../../trainers/registry.ts';
import type { Rehearsal } from '../../trainers/rehearsal.ts';
import type { RlTrainer } from '../../trainers/trainer.ts';
import { outputFolder } from '../export/made-by.ts';
import type { CommandIo } from '../io.ts';
import { openAgent } from '../servers/agent.ts';
import { serveSettings } from '../servers/settings.ts';
import { openSession } from '../session.ts';
import { shown } from '../shown.ts';
import type { DriverReport } from './driver-report.ts';
import { type Unread, unreadAgent, unreadTrainer } from './effects.ts';
import { type EngineLog, startEngine } from './endpoint.ts';
import { findings } from './findings.ts';
import { launchRehearsal } from './launch.ts';
import { type Measured, measure } from './measure.ts';
import { diagnosticOf } from './place.ts';
import { comparePrompts } from './prompts.ts';
import { SPOKEN } from './scripts.ts';
import { rehearsalTasks, type Wanted } from './tasks.ts';
import { engineTokenizer } from './tokenizer.ts';

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

/** Why there can be no rehearsal. */
export interface NoRehearsal {
  key: string;
  message: string;
  remedy: string;
  /** 2: the project; 3: the machine. */
  code: 2 | 3;
}

export async function rehearse(
  project: ResolvedProject,
  options: RehearsalOptions,
  io: CommandIo,
  signal: AbortSignal,
): Promise<Result<RehearsalResult, NoRehearsal>> {
  const found = rehearsed(project, options);
  if (!found.ok) return found;
  const { table, trainer } = found.value;
  const { config } = project;
  const folder = join(outputFolder(project), 'rehearsal');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const say = (text: string) => void io.stderr.write(shown(`${text}\n`));
  say('tasks …');
  const made = await rehearsalTasks(project, options.wanted, options.tasks, join(folder, 'data'), io, signal);
  if (!made.ok)
    return no(
      'data',
      made.fault,
      'check the dataset and the network, or rehearse with --tasks quickstart',
      3,
    );
  const { tasks, data, ids, of } = made.value;
  const read = (path: string) => readFile(resolve(project.folder, path), 'utf8');
  const settings = await agentSettings(config.agent!, undefined, read);
  if (!settings.ok) return no('agent', settings.fault, 'mend the agent', 2);
  const texts = [
    SPOKEN,
    ...Object.values(settings.value.templates),
    ...tasks.flatMap((one) => [one.problem, one.solution]),
  ];
  const tokens = await engineTokenizer(project, texts, folder);
  if (!tokens.ok)
    return no(
      'agent.model.tokenizer',
      tokens.fault,
      'name a folder with tokenizer.json and a chat template',
      2,
    );
  const rl = config.trainer!.rl!;
  const engine = await startEngine({
    ...{
      port: portOf(config.agent!.model?.base_url),
      protocol: table.engine,
      tokenizer: tokens.value.tokenizer,
    },
    ...{
      settings: settings.value,
      tasks,
      model: config.agent!.model?.name ?? 'model',
      window: 2 * rl.max_context,
    },
  });
  if (!engine.ok)
    return no(
      'agent.model.base_url',
      `the stand-in engine cannot listen: ${engine.fault}`,
      'end what uses the port, or write another one in base_url',
      3,
    );
  const close: (() => Promise<void>)[] = [() => engine.value.close()];
  try {
    const server = await agentServer(made.value.project, folder, io);
    if (!server.ok) return server;
    if (server.value.close !== null) close.push(server.value.close);
    const session = await openSession(project, io, signal);
    close.push(() => session.close());
    say('rollouts …');
    const launched = await launchRehearsal({
      ...{ project, trainer, table, data, tokenizer: tokens.value.folder, port: engine.value.port },
      ...{ work: folder, standIns: options.standIns, processes: session.services.processes, env: io.env },
      ...{ timeout: options.timeout, signal },
    });
    const { report } = launched;
    const measured = report === null ? null : measure(report, engine.value.log);
    const judges = config.agent!.step_rewards !== undefined;
    const sft = config.trainer?.sft;
    const sftFolder = sft?.output === 'fixed' ? (sft.output_folder ?? null) : null;
    const unread =
      report === null || report.rollouts.length === 0
        ? []
        : await unreadTrainer(project, { trainer, job: launched.job, table }, report);
    const idle = await unreadAgent(project, server.value.close !== null);
    const prompts = await comparePrompts(project, engine.value.log.shown, read);
    const problems = findings({
      launched,
      table,
      log: engine.value.log,
      measured,
      judges,
      sftFolder,
      unread,
    });
    const result: RehearsalResult = {
      ...{ project: config.name, framework: rl.type, folder, tasks: { of, ids } },
      replaced: [
        'the model: scripts for solved, unsolved, overflow, format, overlong, slow and dropped rollouts',
        ...(tokens.value.replaced === null ? [] : [tokens.value.replaced]),
        ...(of === 'quickstart'
          ? ['the tasks: those of the quickstart, since none of the project was validated here']
          : []),
        ...launched.replaced,
        ...(report?.replaced ?? []),
      ],
      ...{
        options: report?.options ?? null,
        functions: report?.functions ?? [],
        command: report?.command ?? null,
      },
      ...{
        measured,
        groups: report?.groups ?? [],
        evaluations: report?.evaluations ?? null,
        batch: report?.batch ?? null,
      },
      engine: {
        refused: engine.value.log.refused,
        judged: engine.value.log.judged,
        dropped: engine.value.log.dropped,
      },
      gpus: { each: launched.gpus, nodes: rl.nodes, judge: 'prm' in rl ? (rl.prm?.gpus ?? 0) : 0 },
      unread: [
        ...unread.map(({ key, why }) => ({ key: `trainer.rl.${key}`, why })),
        ...idle.map(({ key, why }) => ({ key: `agent.${key}`, why })),
      ],
      memory: memoryOf(project),
      unchecked: [
        ...server.value.unchecked,
        ...prompts.unchecked,
        'memory of the GPUs, speed, and whether the training learns',
      ],
      diagnostics: [...problems, ...prompts.findings].map((one) => diagnosticOf(one, project, io.cwd)),
    };
    await writeFile(join(folder, 'rehearsal.json'), `${JSON.stringify(result, null, 1)}\n`);
    return success(result);
  } finally {
    for (const one of close.reverse()) await one();
  }
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
export function rehearsable(): string[] {
  return TRAINERS.filter(({ rl }) => rl?.rehearsal !== undefined).map(({ title }) => title);
}

interface Served {
  close: (() => Promise<void>) | null;
  unchecked: string[];
}

/** The agent server that the training asks, at the address that the project names. */
async function agentServer(
  project: ResolvedProject,
  folder: string,
  io: CommandIo,
): Promise<Result<Served, NoRehearsal>> {
  const named = project.config.trainer!.rl!.env.SWEMAKE_AGENT_URL;
  if (typeof named !== 'string' || named === '') return success({ close: null, unchecked: [] });
  const [first = ''] = named.split(',');
  const url = URL.canParse(first) ? new URL(first) : null;
  if (url === null || !['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname))
    return no(
      'env.SWEMAKE_AGENT_URL',
      `${first} is not on this machine`,
      'name 127.0.0.1: --set trainer.rl.env.SWEMAKE_AGENT_URL=http://127.0.0.1:11000',
      2,
    );
  const listen = `127.0.0.1:${url.port || '80'}`;
  const values = {
    ...{
      listen,
      'token-file': undefined,
      'no-token': false,
      'tls-certificate': undefined,
      'tls-key': undefined,
    },
    folder: undefined,
  };
  const common = serveSettings('agent', 11_000, values, io);
  if (!common.ok) return no('env.SWEMAKE_AGENT_URL', common.fault.message, common.fault.remedy, 2);
  const settings = {
    ...common.value,
    folder: join(folder, 'episodes'),
    concurrent: null,
    waiting: 4096,
    idleLimit: 1800,
  };
  // What it logs of its rollouts is in their records.
  const opened = await openAgent(project, settings, { ...io, stderr: { write: () => true } });
  if (!opened.ok)
    return no(
      'env.SWEMAKE_AGENT_URL',
      `the agent server cannot start at ${listen}: ${opened.fault}`,
      'end what uses the port, or name another one',
      3,
    );
  const { bound, close } = opened.value;
  const { token } = common.value;
  const published = bound !== null && token !== null ? publishToken(bound, token, io.env) : null;
  if (published?.ok === false) {
    await close();
    return no(
      'env.SWEMAKE_AGENT_URL',
      `its token cannot be kept: ${published.fault}`,
      'set SWEMAKE_SERVER_TOKEN',
      3,
    );
  }
  return success({
    close: async () => {
      published?.value.withdraw();
      await close();
    },
    unchecked: named.includes(',') ? ['agent servers beside the first'] : [],
  });
}

function portOf(address: string | undefined): number {
  if (address === undefined || !URL.canParse(address)) return 0;
  const url = new URL(address);
  return ['127.0.0.1', 'localhost'].includes(url.hostname) ? Number(url.port || 0) : 0;
}

/** What all rollouts of a step need at once. */
function memoryOf({ config }: ResolvedProject): RehearsalResult['memory'] {
  const { batch, samples } = config.trainer!.rl!;
  const most = Math.min(batch * samples, config.resources?.rollout ?? batch * samples);
  const name = config.agent!.deployment ?? config.validation.deployment;
  const limits =
    name === undefined ? undefined : (config.deployments[name] as { limits?: { memory?: number } }).limits;
  return { rollouts: most, bytes: limits?.memory === undefined ? null : most * limits.memory };
}

function no(key: string, message: string, remedy: string, code: 2 | 3): Result<never, NoRehearsal> {
  return fault({ key, message, remedy, code });
}
