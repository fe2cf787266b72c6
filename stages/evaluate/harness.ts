/**
 * The official harness as a command. The name of its run is made from everything that decides the run. So files that
 * it finds under that name belong to the same run, which was interrupted: it continues there, and never uses an old
 * answer for a new patch.
 */

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { digestOf } from '../../basics/digest.ts';
import { isKilled } from '../../basics/killed.ts';
import { mapLimit } from '../../basics/map-limit.ts';
import { plural } from '../../basics/plural.ts';
import { hasSucceeded, runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { digestOfList } from '../../cache/key.ts';
import type { Services } from '../../contract/machine.ts';
import { inside } from '../../contract/machine.ts';
import type { QuestionKind } from '../../contract/question.ts';
import type { ItemResult } from '../../contract/reader.ts';
import type { Tools } from '../../contract/tools.ts';
import { endingOf } from '../../executors/process-runner.ts';
import { programFault } from '../../executors/program-fault.ts';
import { type Infra, infra, isFault } from '../../schemas/outcome.ts';
import { filesOfCommand } from '../../tasks/command-files.ts';
import { readInstance } from '../dataset/blocks/catalogue.ts';
import { runReport, type SampleVerdict } from './buckets.ts';
import { fillCommand } from './command.ts';
import { evaluateNatively, ungradedVerdict } from './native.ts';
import { instanceFolder, officialVerdict, readOfficialReport } from './official.ts';
import type { Sample } from './sample.ts';

/** Variables of the host that lead to the container engine, and the harness's own. */
const INHERITED = [
  'DOCKER_CERT_PATH',
  'DOCKER_CONFIG',
  'DOCKER_CONTEXT',
  'DOCKER_HOST',
  'DOCKER_TLS_VERIFY',
  'PYTHONPATH',
  'SWEBENCH_DOCKER_POOL_SIZE',
  'SWEBENCH_DOCKER_TIMEOUT',
];
/** Upstream advises no more containers than this at the same time. */
const MAX_WORKERS = 24;
/** Bytes of memory for each container. */
const WORKER_MEMORY = 2 * 1024 ** 3;
const TAIL_LINES = 15;
/** Seconds. */
const VERSION_TIMEOUT = 20;

export interface Evaluated {
  verdicts: Map<string, SampleVerdict>;
  /** The run-level report as the harness wrote it. */
  report: string;
  /** report.json of each instance that has one. */
  reports: Map<string, unknown>;
  /** What it printed. */
  log: string;
}

/** What it reads lies in the folder that it starts in, where a command may name files of its own. */
const PREDICTIONS = '.swemake-predictions.json';
const ROWS = '.swemake-dataset.json';

interface HarnessRun {
  /** The deployment whose engine it uses; null: the engine that it finds by itself. */
  place: string | null;
  runId: string;
  model: string;
  /** Working folder; removed once there is an answer. */
  scratch: string;
}

/** The harness's command and the version that it runs. */
export interface Harness {
  command: string;
  version: string;
}

export interface OfficialEvaluation {
  name: string;
  samples: readonly Sample[];
  predictions: string;
  dataset: ItemResult;
  /** `scripts`: digests of the files that the command names. */
  harness: Harness & Pick<HarnessRun, 'place'> & { scripts: readonly string[] };
}

/** Has the official harness grade the samples. */
export async function evaluateOfficially(
  { name, samples, predictions, dataset, harness: { command, version, scripts, place } }: OfficialEvaluation,
  tools: Tools,
): Promise<Result<Evaluated, Infra>> {
  const waiting = samples.filter(({ predicted }) => isFault(predicted));
  // Another set of predictions would be another run, so predictions that are graded now would be graded again later.
  if (waiting.length > 0)
    return fault(infra('upstream-infra', `${waiting.length} predictions have no answer yet; build again`));
  const submitting = samples.find(({ line }) => line !== null)?.line;
  // The harness names its report after the first prediction, and fails without one.
  if (submitting == null) return success(nothingSubmitted(samples));
  const identity = digestOfList('harness run', [
    name,
    command,
    version,
    dataset.digest,
    digestOf(predictions),
    ...scripts,
  ]);
  const runId = `swemake-${identity.slice(-16)}`;
  const scratch = join(inside(tools.machine, 'cache').cache.folder.executors, 'harness', runId);
  const run: HarnessRun = { runId, model: submitting.model, scratch, place };
  await mkdir(join(scratch, 'reports'), { recursive: true });
  await writeFile(join(scratch, PREDICTIONS), predictions);
  await writeFile(join(scratch, ROWS), await rowsOf(samples, dataset, tools));
  const ran = await runHarness(command, run, tools);
  if (!ran.ok) return ran;
  const verdicts = await readVerdicts(samples, run);
  if (!verdicts.ok) return fault(infra('harness', `${verdicts.fault}\n${tailOf(ran.value)}`));
  await rm(scratch, { recursive: true, force: true });
  return success({ ...verdicts.value, log: ran.value });
}

function nothingSubmitted(samples: readonly Sample[]): Evaluated {
  const verdicts = evaluateNatively(samples);
  return {
    verdicts,
    report: `${JSON.stringify(runReport(verdicts), null, 2)}\n`,
    reports: new Map(),
    log: '',
  };
}

/** One JSON document: the harness cuts lines at characters that may stand inside of a row. */
async function rowsOf(samples: readonly Sample[], dataset: ItemResult, { machine }: Tools): Promise<string> {
  const rows = await mapLimit(
    [...samples],
    8,
    async ({ row }) => (await readInstance(dataset, row, machine)).raw,
  );
  return JSON.stringify(rows);
}

/** What it printed; a fault when it did not finish. */
async function runHarness(
  command: string,
  { place, runId, scratch }: HarnessRun,
  tools: Tools,
): Promise<Result<string, Infra>> {
  const { processes, projectFolder, engineOf } = inside(
    tools.machine,
    ...(['processes', 'projectFolder', 'engineOf'] as const),
  );
  const engine = (await engineOf?.(place)) ?? success(null);
  if (!engine.ok) return engine;
  const host = engine.value ?? { processors: availableParallelism(), memory: totalmem() };
  const workers = (tools.setting('evaluation', 'workers') as number | undefined) ?? workersOn(host);
  tools.log(`== ${workers} at once on ${engine.value?.name ?? 'this machine'}\n`);
  const filled = fillCommand(command, {
    dataset: join(scratch, ROWS),
    predictions: join(scratch, PREDICTIONS),
    run_id: runId,
    report_dir: join(scratch, 'reports'),
    workers: `${workers}`,
  });
  const ended = await processes.run({
    command: filled,
    cwd: scratch,
    env: { SWEMAKE_PROJECT: projectFolder, PYTHONUNBUFFERED: '1', ...engine.value?.variables },
    inherit: INHERITED,
    log: join(scratch, 'harness.log'),
    onOutput: (text) => tools.log(text),
    signal: tools.signal,
    timeout: tools.setting('evaluation', 'timeout') as number,
  });
  if (!ended.ok) return ended;
  const { exitCode, timedOut, output } = ended.value;
  if (exitCode === 0) return success(output);
  const how = timedOut
    ? `did not end within evaluation.timeout; build again, and it goes on from there`
    : endingOf(ended.value);
  return fault(infra('harness', `the official harness ${how}\n${tailOf(output)}`));
}

/** How many containers a machine of this size may run at the same time, as upstream advises. */
export function workersOn({ processors, memory }: { processors: number; memory: number }): number {
  const held = Math.min(Math.floor(processors * 0.75), Math.floor(memory / WORKER_MEMORY));
  return Math.max(1, Math.min(MAX_WORKERS, held));
}

function tailOf(output: string): string {
  return output.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}

async function readVerdicts(
  samples: readonly Sample[],
  { scratch, runId, model }: HarnessRun,
): Promise<Result<Omit<Evaluated, 'log'>, string>> {
  const official = await readOfficialReport([join(scratch, 'reports'), scratch], runId);
  if (official === null) return fault('the official harness wrote no report');
  const verdicts = new Map<string, SampleVerdict>();
  const reports = new Map<string, unknown>();
  for (const sample of samples) {
    const id = sample.instance_id;
    const folder = instanceFolder(scratch, runId, model, id);
    const { predicted } = sample;
    const known = predicted.status === 'ok' ? null : ungradedVerdict(sample);
    verdicts.set(id, known ?? (await officialVerdict(id, official.report, folder)));
    const report = await readFile(join(folder, 'report.json'), 'utf8').catch(whenAbsent(null));
    if (report !== null) reports.set(id, (JSON.parse(report) as Record<string, unknown>)[id] ?? null);
  }
  const broken = [...verdicts].filter(
    ([id, { isInfra }]) =>
      isInfra && samples.find((one) => one.instance_id === id)!.predicted.status === 'ok',
  );
  if (broken.length === 0) return success({ verdicts, report: official.text, reports });
  const named = broken.slice(0, 3).map(([id, { reason, detail }]) => `${id} (${reason}: ${detail})`);
  const more = broken.length > 3 ? ', …' : '';
  return fault(
    `the machine failed ${plural(broken.length, 'instance')} in the official harness: ${named.join(', ')}${more}`,
  );
}

/**
 * What a command would run: the version of swebench, `unknown` when it cannot be found, and digests of the files that the
 * command names, in its order.
 */
export const HARNESS: QuestionKind<string, { version: string; scripts: string[] }> = {
  name: 'harness',
  changes: false,
  async answer(command, services) {
    const version = await askVersion(command, services);
    if (!version.ok) return version;
    const { cache, projectFolder, env, signal } = services;
    const place = { folders: [projectFolder], projectFolder, env, activate: null, signal };
    const scripts = await filesOfCommand(command, { ...place, database: cache.database });
    return success({ version: version.value, scripts });
  },
};

const QUESTION = `-c 'import importlib.metadata as m; print(m.version("swebench"))'`;

/**
 * The Python that `command` runs swebench with, as a word for bash; null when finding it would mean to run more than
 * that.
 */
export function pythonOf(command: string): string | null {
  // Only a plain word without a command in it: the user's commands must not run earlier than they should.
  const word = /(?:^|[\s;&|(])([\w@%+=:,./"'${}~-]+)\s+-m\s+swebench\b/.exec(command)?.[1];
  if (word !== undefined) return word;
  const script = /(?:^|[\s;&|(])([\w@%+=:,./"'${}~-]*\bswebench"?)\s+eval\b/.exec(command)?.[1];
  return script === undefined ? null : `"$(dirname "$(command -v ${script})")"/python`;
}

/** A question that was not answered, since it was killed or took too long, is a fault and not `unknown`. */
export async function askVersion(
  command: string,
  { env, projectFolder, signal }: Pick<Services, 'env' | 'projectFolder' | 'signal'>,
  timeout = VERSION_TIMEOUT,
): Promise<Result<string, Infra>> {
  const python = pythonOf(command);
  if (python === null) return success('unknown');
  const argv = ['bash', '-c', `${python} ${QUESTION}`];
  const variables = { ...env, SWEMAKE_PROJECT: projectFolder };
  const end = await runProgram({ argv, cwd: projectFolder, env: variables, timeout, signal });
  if (hasSucceeded(end)) return success(end.stdout.trim());
  if (end.kind === 'exited' && !isKilled(end.exitCode)) return success('unknown');
  const doing = 'the question for the version of the official harness';
  return fault(programFault(end, { doing, remedy: 'apt-get install bash', otherwise: 'harness' }));
}
