/** Makes the targets of a project and prints how it went. */
import { relative } from 'node:path';
import { adoptedItems, adoptedText } from '../app/adopted.ts';
import { evaluations, sampleOutcomes } from '../app/agent-outcomes.ts';
import type { AskWhen } from '../app/asking.ts';
import { badRowsOf } from '../app/bad-rows.ts';
import { diskWarning } from '../app/disk-room.ts';
import { noteMadeBy, outputFolder } from '../app/export/made-by.ts';
import { exportOutputs, foldersIn } from '../app/export/outputs.ts';
import { mayBeGivenUp } from '../app/given-up.ts';
import type { CommandIo } from '../app/io.ts';
import { weakestIsolation } from '../app/isolation.ts';
import { repeatedFaults } from '../app/repeated-faults.ts';
import { reportedCauses } from '../app/reported-causes.ts';
import { restsOf } from '../app/rests.ts';
import { type Session, type WorkEnd, work } from '../app/session.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { packageVersion } from '../app/version.ts';
import { shellWord } from '../basics/shell.ts';
import type { RemoteReport } from '../cache/remote/remote.ts';
import { splitAddress } from '../compiler/graph.ts';
import type { NodeEnd, RunEnd } from '../engine/run.ts';
import { answerUsage } from './arguments.ts';
import { askedLines } from './asked-lines.ts';
import { EarlyWarnings } from './early-warnings.ts';
import { type Condition, holding, tooFewSound, unmetWarning } from './fail-on.ts';
import { heldWarning } from './held-warning.ts';
import { createProgress } from './progress.ts';
import { repeatedFaultText } from './repeated-faults-text.ts';
import { screenOf } from './screen.ts';
import { buildSummary, exitCode } from './summary.ts';
import { type Scope, scopeOf, type TargetOptions } from './targets.ts';
import { unmatchedTarget } from './unknown-target.ts';

export interface MakeOptions extends TargetOptions {
  json: boolean;
  /** When one of these holds at the end, the code is 1. */
  conditions?: readonly Condition[];
  /** Only warnings and the last line. */
  isQuiet?: boolean;
  /** In place of the project's own folder for files. */
  out: string | null;
  /** When what was not found is asked for again. */
  asks: AskWhen;
}

/** Makes the targets, writes their files, prints how it went and returns the exit code. */
export async function makeTargets(session: Session, options: MakeOptions, io: CommandIo): Promise<number> {
  const scope = scopeOf(session, options);
  const end = await runTargets(session, scope, options, io);
  const unmatched = unmatchedTarget([...scope.targets, ...options.force], session, end);
  if (unmatched !== null) return answerUsage(unmatched, io);
  if (isRefused(session, end, io)) return 3;
  if (end.asked !== null) for (const line of askedLines(end.asked)) io.stderr.write(shown(`${line}\n`));
  const results = await resultsOf(session, end, options, io);
  io.stdout.write(options.json ? jsonOf(end, results) : textOf(session, end, results, options, io));
  for (const { what, remedy } of results.held) io.stderr.write(shown(`E006  ${what}\n      ${remedy}\n`));
  const code = exitCode(end);
  return code === 0 && results.held.length > 0 ? 1 : code;
}

async function runTargets(
  session: Session,
  scope: Scope,
  options: MakeOptions,
  io: CommandIo,
): Promise<WorkEnd> {
  const { jobs, json, stop, asks, isQuiet = false } = options;
  const { targets, graph, selection, isPlain } = scope;
  const { database, folder } = session.cache;
  const fullness = database.readOnly ? null : diskWarning(folder.root);
  if (fullness !== null) io.stderr.write(shown(`warning: ${fullness}\n`));
  const progress = json || isQuiet ? null : createProgress(io);
  if (progress !== null) stop.onStopping(() => progress.stopping());
  const say = (lines: readonly string[]) => {
    if (progress !== null) progress.say(lines);
    else for (const line of lines) io.stderr.write(shown(`${line}\n`));
  };
  const early = new EarlyWarnings(session, scope, options, io, say, isPlain && progress !== null);
  const end = await work(session, {
    ...{ jobs, selection, graph, targets, asks, dryRun: false, drain: stop.drain },
    show: (event) => {
      progress?.show(event);
      early.onEvent(event);
    },
    beforeFirst: () => early.beforeFirst(),
  });
  await early.settled();
  progress?.stop();
  return end;
}

type Results = Awaited<ReturnType<typeof resultsOf>>;

/** What is printed at the end. The files for the user are written for it. */
async function resultsOf(session: Session, end: WorkEnd, options: MakeOptions, io: CommandIo) {
  const { conditions = [], targets } = options;
  const { cache, project } = session;
  const folder = outputFolder(project, options.out);
  const { files, present, held: incomplete } = await exportOutputs(end, cache, foldersIn(folder), io.cwd);
  const adopted = adoptedItems(cache.database, project.config.name, end);
  // A build that did nothing prints one line, and reads no answers for it.
  const isRead = end.executed > 0 || conditions.length > 0;
  const most = conditions.length > 0 ? Number.POSITIVE_INFINITY : undefined;
  const outcomes = isRead ? await sampleOutcomes(session, end, most) : [];
  const evaluated = isRead ? await evaluations(session, end) : [];
  const { held, unmet } = holding(conditions, { end, outcomes, evaluations: evaluated });
  const { min_pass: minPass } = project.config.validation;
  const { setAside } = cache.database;
  const madeBy = noteMadeBy(project, folder, present, packageVersion());
  return {
    run: end.executed > 0 ? session.run : null,
    isolation: await weakestIsolation(session),
    warnings: [
      ...session.deployments.warnings(),
      ...(setAside === null ? [] : [setAside]),
      ...incomplete.map(heldWarning),
      ...(madeBy === null ? [] : [madeBy]),
      ...(end.remote?.warnings ?? []),
      ...end.notAhead,
      ...adopted.map((item) => adoptedText(item, end)),
      ...(await faultsThatComeAgain(session, end)),
      ...unmetWarning(unmet),
    ],
    badRows: await badRowsOf(end, cache),
    rests: restsOf(end, cache),
    causes: isRead ? await reportedCauses(end, cache) : [],
    held: [
      ...held.map((what) => ({ what, remedy: '--fail-on asks for code 1 then' })),
      // Targets that name single items ask for their answers, whatever these are.
      ...(targets.some((target) => splitAddress(target)[1] !== null) ? [] : tooFewSound(minPass, end)),
    ],
    ...{ files, incomplete, adopted, outcomes, evaluations: evaluated },
  };
}

function jsonOf(end: WorkEnd, results: Results) {
  const { run, isolation, warnings, adopted, files, incomplete, badRows, rests, outcomes, held } = results;
  const { executed, cached, counts, durationMs, asked } = end;
  const stages = [...end.nodes.values()].map(({ state, blocked }) => ({
    ...{ stage: state.address, items: state.size(), executed: state.executed, outcomes: state.counts },
    ...(blocked === null ? {} : { blocked }),
  }));
  return jsonLine({
    ...{ run, executed, cached, outcomes: counts, durationMs, isolation, warnings, adopted, files },
    ...{ incomplete, badRows, not_found: rests, asked_again: asked, outcomes_of_samples: outcomes },
    ...{ failed_on: held.map(({ what }) => what), stages },
    ...remoteJson(end.remote),
  });
}

function textOf(session: Session, end: WorkEnd, results: Results, options: MakeOptions, io: CommandIo) {
  const summary = buildSummary(end, {
    ...results,
    retry: `swemake retry ${shellWord(relative(io.cwd, session.project.file))}`,
    remote: end.remote,
    screen: screenOf(io),
  });
  // A target that was not made is explained, even with --quiet.
  return shown(options.isQuiet === true && exitCode(end) === 0 ? quietly(summary) : summary);
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

/** True after it was said which answers a read-only cache lacks: without a place to keep answers nothing can be run. */
export function isRefused({ cache }: Session, end: RunEnd, io: CommandIo): boolean {
  const isUnfinished = ({ state, blocked }: NodeEnd) => blocked !== null || state.planned > 0;
  const waiting = cache.database.readOnly ? [...end.nodes.values()].find(isUnfinished) : undefined;
  if (waiting === undefined) return false;
  io.stderr.write(
    shown(`E003  the cache ${cache.folder.root} is read-only and lacks answers of ${waiting.state.address}
      make it writable, or set cache.folder to a folder of your own\n`),
  );
  return true;
}

/** Faults that this build had in common with those before it. */
async function faultsThatComeAgain(session: Session, end: WorkEnd): Promise<string[]> {
  const { runs } = session.cache.folder;
  const found = await repeatedFaults(runs, session.run, session.project.config.name, end);
  return found.map((one) => repeatedFaultText(one, mayBeGivenUp(end.nodes.get(one.stage)!.state.node.stage)));
}
