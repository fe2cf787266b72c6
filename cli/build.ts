/** `build` and `plan`: make the targets of a project, or say what making them would do. */

import { relative, resolve } from 'node:path';
import { adoptedItems, adoptedText } from '../app/adopted.ts';
import { evaluations, sampleOutcomes } from '../app/agent-outcomes.ts';
import { agentSizes } from '../app/agent-sizes.ts';
import type { AskWhen } from '../app/asking.ts';
import { badRowsOf } from '../app/bad-rows.ts';
import { diskWarning } from '../app/disk-room.ts';
import { earlyLines, earlyProblems, rowProblems } from '../app/doctor/early.ts';
import { environmentDisk } from '../app/environment-disk.ts';
import { noteMadeBy, outputFolder } from '../app/export/made-by.ts';
import { exportOutputs, foldersIn } from '../app/export/outputs.ts';
import { forecast } from '../app/forecast.ts';
import { holdsToLock } from '../app/frozen.ts';
import { mayBeGivenUp } from '../app/given-up.ts';
import type { CommandIo } from '../app/io.ts';
import { weakestIsolation } from '../app/isolation.ts';
import { openProject } from '../app/open-project.ts';
import { estimate } from '../app/plan-estimate.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { repeatedFaults } from '../app/repeated-faults.ts';
import { restsOf } from '../app/rests.ts';
import { runLightStages } from '../app/run-light-stages.ts';
import { capacityOf, openSession, type Session, work } from '../app/session.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { type Stop, stopOnSignals } from '../app/signals.ts';
import { packageVersion } from '../app/version.ts';
import type { RemoteReport } from '../cache/remote/remote.ts';
import { keptTrainings } from '../cache/scratch.ts';
import { type Graph, nodesOfTarget } from '../compiler/graph.ts';
import { graphOf, plainTargets } from '../compiler/targets.ts';
import type { RunEvent } from '../engine/events.ts';
import type { RunEnd } from '../engine/run.ts';
import { Selection } from '../engine/selection.ts';
import { STAGES } from '../stages/registry.ts';
import {
  answerUsage,
  type CommandSpec,
  type OptionValues,
  parseCommand,
  type UsageError,
} from './arguments.ts';
import { askedLines } from './asked-lines.ts';
import { type Condition, holding, readConditions, tooFewSound, unmetWarning } from './fail-on.ts';
import { forecastLines, leftOutLine } from './forecast-text.ts';
import { heldWarning } from './held-warning.ts';
import { agentsText, diskText, keptText, planRows, planText } from './plan-table.ts';
import { createProgress } from './progress.ts';
import { repeatedFaultText } from './repeated-faults-text.ts';
import { screenOf } from './screen.ts';
import { buildSummary, exitCode } from './summary.ts';
import { isMatched, unknownItem, unknownTarget } from './unknown-target.ts';

/** Where files for the user go; also of `retry`. */
const OUT_OPTION = {
  type: 'string',
  placeholder: 'DIR',
  description:
    'folder for the files that are written for you, in a folder with the project’s name (default: out beside the project)',
} as const;

export const BUILD = {
  name: 'build',
  summary: 'Make the targets of a project: run what is new or changed, take everything else from the cache.',
  positionals: [
    { name: 'PROJECT', description: 'the project file', required: true },
    {
      name: 'TARGET',
      description:
        'stage, stage.dataset or stage.dataset@item, globs allowed; when none is given, the project’s targets, or all (a project that trains: its trainings and evaluation)',
      multiple: true,
    },
  ],
  options: {
    ...PROJECT_OPTIONS,
    jobs: {
      type: 'string',
      short: 'j',
      placeholder: 'N',
      description: 'actions that run at the same time (default: the number of processors)',
    },
    force: {
      type: 'string',
      multiple: true,
      placeholder: 'TARGET',
      description: 'run these again even if the cache has their answers',
    },
    frozen: { type: 'boolean', description: 'refuse to build if anything differs from the lock file' },
    'fail-on': {
      type: 'string',
      multiple: true,
      placeholder: 'EXPR',
      description:
        'end with code 1 when this holds, such as "resolved < 30%", "oracle < 100%" or "validate.failed > 5"',
    },
    out: OUT_OPTION,
    quiet: {
      type: 'boolean',
      short: 'q',
      description: 'print only warnings and the last line, or everything if a target was not made',
    },
    'dry-run': { type: 'boolean', description: 'say what would run and run nothing' },
    json: { type: 'boolean', description: 'print one JSON object at the end' },
  },
  examples: [
    ['swemake build project.yaml', 'everything that the project makes'],
    ['swemake build project.yaml grade.train -j 8', 'one stage and what it needs, eight actions at once'],
    [
      "swemake build project.yaml --set validation.gold_runs=3 'validate.train@*h11*'",
      'some instances, with another setting',
    ],
    [
      "swemake build project.yaml --force 'validate.train@*flaky*'",
      'run them again, even if the cache has their answers',
    ],
    [
      'swemake build project.yaml --set validation.deployment=fleet',
      'in another deployment of the project, such as a Docker engine or a pool (docs/places.md)',
    ],
  ],
} as const satisfies CommandSpec;

const PLAN = {
  name: 'plan',
  summary:
    'Say for each stage what is fresh, stale, new or not known yet, and why. Only datasets, and filters of answers that exist, are run for this.',
  positionals: BUILD.positionals,
  options: {
    ...PROJECT_OPTIONS,
    jobs: BUILD.options.jobs,
    force: { ...BUILD.options.force, description: 'plan as if these had to run again' },
    frozen: BUILD.options.frozen,
    disk: {
      type: 'boolean',
      description: 'also show how much disk the built environments use, and about how much all of them will',
    },
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [
    ['swemake plan project.yaml', 'what a build would do now'],
    ['swemake plan project.yaml --disk', 'and how much disk its environments take'],
    ['swemake plan project.yaml --set agent.model.temperature=0.2', 'what a changed setting would run again'],
  ],
} as const satisfies CommandSpec;

export async function buildCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(BUILD, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { quiet, 'fail-on': failOn, 'dry-run': dryRun, out } = parsed.values;
  const more = { failOn, isQuiet: quiet, out: outOf(out, io), disk: false };
  return run(parsed.positionals, parsed.values, dryRun, more, io);
}

export async function planCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(PLAN, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { disk } = parsed.values;
  return run(parsed.positionals, parsed.values, true, { failOn: [], isQuiet: false, out: null, disk }, io);
}

/** The value of --out as a path; null when it is not given. */
export function outOf(value: string | undefined, io: CommandIo): string | null {
  return value === undefined ? null : resolve(io.cwd, value);
}

async function run(
  [file, ...targets]: string[],
  values: Omit<OptionValues<typeof PLAN>, 'disk'>,
  dryRun: boolean,
  more: { failOn: string[]; isQuiet: boolean; out: string | null; disk: boolean },
  io: CommandIo,
): Promise<number> {
  const jobs = jobsOf(values.jobs);
  if (typeof jobs === 'object' && jobs !== null) return answerUsage(jobs, io);
  const conditions = readConditions(more.failOn);
  if (!Array.isArray(conditions)) return answerUsage(conditions, io);
  const project = await openProject(file!, values, io);
  if (project === null) return 2;
  const stop = stopOnSignals(io);
  const session = await openSession(project, io, stop.abort, values.frozen ? 'frozen' : 'obey');
  try {
    const unknown = [...targets, ...values.force].find(
      (target) => nodesOfTarget(session.graph, target).length === 0,
    );
    if (unknown !== undefined) return answerUsage(unknownTarget(unknown, session), io);
    if (values.frozen && !(await holdsToLock(session, io))) return 2;
    return await makeTargets(
      session,
      {
        targets,
        force: values.force,
        jobs,
        dryRun,
        json: values.json,
        conditions,
        isQuiet: more.isQuiet,
        out: more.out,
        disk: more.disk,
        asks: values.frozen ? 'never' : 'daily',
        stop,
      },
      io,
    );
  } finally {
    await session.close();
    stop.release();
  }
}

/** The value of --jobs; null when it is not given. */
export function jobsOf(value: string | undefined): number | null | UsageError {
  if (value === undefined) return null;
  const jobs = Number(value);
  if (Number.isInteger(jobs) && jobs > 0) return jobs;
  const message = `--jobs must be a whole number above 0, not "${value}"`;
  return { kind: 'usage', message, remedy: 'for example: -j 4' };
}

export interface MakeOptions {
  targets: string[];
  force: string[];
  /** Single items to run again, by node. */
  forceItems?: ReadonlyMap<string, ReadonlySet<string>>;
  jobs: number | null;
  dryRun: boolean;
  json: boolean;
  /** When one of these holds at the end, the code is 1. */
  conditions?: readonly Condition[];
  /** Only warnings and the last line. */
  isQuiet?: boolean;
  /** In place of the project's own folder for files. */
  out?: string | null;
  /** When what was not found is asked for again. */
  asks: AskWhen;
  /** A plan says what environments take of the disk. */
  disk?: boolean;
  stop: Stop;
}

/** Makes (or plans) the targets, prints how it went and returns the exit code. */
export async function makeTargets(session: Session, options: MakeOptions, io: CommandIo): Promise<number> {
  const { force, jobs, dryRun, json, stop, conditions = [], isQuiet = false } = options;
  const isPlain = options.targets.length === 0;
  const targets = isPlain ? plainTargets(session.project.config, session.graph, STAGES) : options.targets;
  // What is forced is asked for.
  const wanted = isPlain && targets.length > 0 ? [...targets, ...force] : targets;
  const graph = graphOf(session.graph, wanted);
  const leftOut = isPlain ? without(session.graph, graph) : [];
  const fullness = dryRun || session.cache.database.readOnly ? null : diskWarning(session.cache.folder.root);
  if (fullness !== null) io.stderr.write(shown(`warning: ${fullness}\n`));
  const progress = json || dryRun || isQuiet ? null : createProgress(io);
  if (progress !== null) stop.onStopping(() => progress.stopping());
  const selection = new Selection(graph, targets, force, options.forceItems);
  const sayReading = (text: string) => void io.stderr.write(shown(`${text}\n`));
  const seen =
    dryRun && !session.cache.database.readOnly
      ? await runLightStages(session, graph, stop.drain, sayReading)
      : [];
  const look = () => forecast(session, { graph, selection, jobs, drain: stop.drain });
  const unread = new Set<string>();
  const warn = (lines: readonly string[]) =>
    progress === null ? lines.map((line) => io.stderr.write(shown(`${line}\n`))) : progress.say(lines);
  const announce = async () => {
    const seen = await look();
    const more = leftOutLine(leftOut);
    if (isPlain) progress?.say([...forecastLines(seen), ...(more === null ? [] : [more])]);
    const early = await earlyProblems(seen.end, session, io);
    warn(earlyLines(early.problems));
    for (const dataset of early.unread) unread.add(`environments.${dataset}`);
  };
  // What the rows need is known once they were read.
  const looks: Promise<void>[] = [];
  const lookAgain = (event: RunEvent) => {
    if (event.type !== 'stage-opened' || !unread.delete(event.stage)) return;
    looks.push(look().then(async ({ end }) => void warn(earlyLines(await rowProblems(end, session, io)))));
  };
  const end = await work(session, {
    jobs,
    selection,
    graph,
    dryRun,
    asks: options.asks,
    targets,
    drain: stop.drain,
    show: (event) => {
      progress?.show(event);
      lookAgain(event);
    },
    ...(dryRun ? {} : { beforeFirst: once(announce) }),
  });
  await Promise.all(looks);
  progress?.stop();
  const unmatched = targets.find((target) => !isMatched(target, session, end));
  if (unmatched !== undefined) return answerUsage(unknownItem(unmatched, session, end), io);
  if (!dryRun && session.cache.database.readOnly && isUnfinished(end))
    return answerReadOnly(session, end, io);
  if (dryRun) {
    const rows = planRows(end);
    const time = estimate(end, {
      database: session.cache.database,
      project: session.project.config.name,
      capacity: capacityOf(session.project, jobs),
    });
    const disk = options.disk ? await environmentDisk(session, end) : null;
    const agents = await agentSizes(session, end);
    const estimateMs = time.never.length === 0 ? time.known : null;
    const trainings = keptTrainings(session.cache.folder);
    const facts = {
      ...{ stages: rows, estimateMs, never_ran: time.never, made_when_named: leftOut, seen },
      kept_trainings: trainings,
      ...(agents.length === 0 ? {} : { agents }),
      ...(disk === null ? {} : { disk }),
    };
    const more = leftOutLine(leftOut);
    const text = `${planText(rows, time, seen)}${more === null ? '' : `${more}\n`}${agentsText(agents)}${keptText(trainings)}${disk === null ? '' : diskText(disk)}`;
    io.stdout.write(json ? jsonLine(facts) : shown(text));
    return 0;
  }
  if (end.asked !== null) for (const line of askedLines(end.asked)) io.stderr.write(shown(`${line}\n`));
  const folder = outputFolder(session.project, options.out ?? null);
  const { files, present, held: kept } = await exportOutputs(end, session.cache, foldersIn(folder), io.cwd);
  const { executed, cached, counts, durationMs } = end;
  const isolation = await weakestIsolation(session);
  const adopted = adoptedItems(session.cache.database, session.project.config.name, end);
  const warnings = [
    ...session.deployments.warnings(),
    ...cacheWarnings(session),
    ...emptyDatasets(end),
    ...kept.map(heldWarning),
    ...[noteMadeBy(session.project, folder, present, packageVersion())].filter((one) => one !== null),
    ...(end.remote?.warnings ?? []),
    ...end.notAhead,
    ...adopted.map((item) => adoptedText(item, end)),
    ...(await faultsThatComeAgain(session, end)),
  ];
  const run = executed > 0 ? session.run : null;
  const badRows = await badRowsOf(end, session.cache);
  const rests = restsOf(end, session.cache);
  // A build that did nothing prints one line, and reads no answers for it.
  const isRead = executed > 0 || conditions.length > 0;
  const most = conditions.length > 0 ? Number.POSITIVE_INFINITY : undefined;
  const outcomes = isRead ? await sampleOutcomes(session, end, most) : [];
  const evaluated = isRead ? await evaluations(session, end) : [];
  const { held, unmet } = holding(conditions, { end, outcomes, evaluations: evaluated });
  warnings.push(...unmetWarning(unmet));
  const { min_pass: minPass } = session.project.config.validation;
  if (minPass !== undefined) held.push(...tooFewSound(minPass, end));
  if (json) {
    const stages = [...end.nodes.values()].map(({ state, blocked }) => ({
      stage: state.address,
      items: state.size(),
      executed: state.executed,
      outcomes: state.counts,
      ...(blocked === null ? {} : { blocked }),
    }));
    io.stdout.write(
      jsonLine({
        run,
        executed,
        cached,
        outcomes: counts,
        durationMs,
        isolation,
        warnings,
        adopted,
        files,
        incomplete: kept,
        badRows,
        not_found: rests,
        asked_again: end.asked,
        outcomes_of_samples: outcomes,
        failed_on: held,
        stages,
        ...remoteJson(end.remote),
      }),
    );
  } else {
    const summary = buildSummary(end, {
      files,
      isolation,
      warnings,
      badRows,
      rests,
      retry: `swemake retry ${relative(io.cwd, session.project.file)}`,
      outcomes,
      evaluations: evaluated,
      remote: end.remote,
      screen: screenOf(io),
    });
    // A target that was not made is explained, even with --quiet.
    io.stdout.write(isQuiet && exitCode(end) === 0 ? shown(quietly(summary)) : shown(summary));
  }
  for (const condition of held)
    io.stderr.write(
      shown(`E006  ${condition}\n      --fail-on or validation.min_pass asks for code 1 then\n`),
    );
  const code = exitCode(end);
  return code === 0 && held.length > 0 ? 1 : code;
}

/** Stages of the project that are not in `graph`. */
function without(all: Graph, graph: Graph): string[] {
  const made = new Set(graph.nodes.map(({ address }) => address));
  return all.nodes.map(({ address }) => address).filter((address) => !made.has(address));
}

/** A replacement of something damaged is a second walk, which is announced no more. */
function once(announce: () => Promise<void>): () => Promise<void> {
  let said: Promise<void> | null = null;
  return () => {
    said ??= announce();
    return said;
  };
}

/** Faults that this build had in common with those before it. */
async function faultsThatComeAgain(session: Session, end: RunEnd): Promise<string[]> {
  const { runs } = session.cache.folder;
  const found = await repeatedFaults(runs, session.run, session.project.config.name, end);
  return found.map((one) => repeatedFaultText(one, mayBeGivenUp(end.nodes.get(one.stage)!.state.node.stage)));
}

/** Warnings, with the lines that belong to them, and the last line. */
export function quietly(summary: string): string {
  const lines = summary.trimEnd().split('\n');
  let isWarning = false;
  const kept = lines.slice(0, -1).filter((line) => {
    isWarning = line.startsWith('warning: ') || (isWarning && line.startsWith('  '));
    return isWarning;
  });
  return `${[...kept, lines.at(-1)].join('\n')}\n`;
}

function remoteJson(remote: RemoteReport | null): object {
  if (remote === null) return {};
  const { name, traffic, taken, given, left } = remote;
  return { remote: { name, taken, given, left, ...traffic } };
}

function isUnfinished(end: RunEnd): boolean {
  return [...end.nodes.values()].some(({ state, blocked }) => blocked !== null || state.planned > 0);
}

/** Without a place to keep answers nothing can be run. */
function answerReadOnly(session: Session, end: RunEnd, io: CommandIo): number {
  const waiting = [...end.nodes.values()].find(
    ({ state, blocked }) => blocked !== null || state.planned > 0,
  )!;
  io.stderr.write(
    shown(`E003  the cache ${session.cache.folder.root} is read-only and lacks answers of ${waiting.state.address}
      make it writable, or set cache.folder to a folder of your own\n`),
  );
  return 3;
}

/** Without instances every later stage succeeds with empty files, so the user is warned. */
function emptyDatasets({ nodes }: RunEnd): string[] {
  return [...nodes.values()]
    .filter(
      ({ state, blocked }) => state.node.stage === 'environments' && blocked === null && state.size() === 0,
    )
    .map(
      ({ state: { node } }) =>
        `dataset.${node.dataset} has no instances: its source holds no rows, or select leaves none`,
    );
}

function cacheWarnings(session: Session): string[] {
  const { setAside } = session.cache.database;
  return setAside === null ? [] : [setAside];
}
