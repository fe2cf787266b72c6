/** `plan`: says what making the targets of a project would do. */
import { agentSizes } from '../app/agent-sizes.ts';
import { environmentDisk } from '../app/environment-disk.ts';
import { holdsToLock } from '../app/frozen.ts';
import type { CommandIo } from '../app/io.ts';
import { estimate } from '../app/plan-estimate.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { runLightStages } from '../app/run-light-stages.ts';
import { capacityOf, type Session, work } from '../app/session.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { keptTrainings } from '../cache/scratch.ts';
import { answerUsage, type CommandSpec, parseCommand } from './arguments.ts';
import { leftOutLine } from './forecast-text.ts';
import { agentsText, diskText, keptText, planRows, planText } from './plan-table.ts';
import {
  FORCE_OPTION,
  FROZEN_OPTION,
  JOBS_OPTION,
  jobsOf,
  scopeOf,
  TARGET_ARGUMENTS,
  type TargetOptions,
  withSession,
  wrongTarget,
} from './targets.ts';
import { unmatchedTarget } from './unknown-target.ts';

const PLAN = {
  name: 'plan',
  summary:
    'Say for each stage what is fresh, stale, new or not known yet, and why. Only datasets, and filters of answers that exist, are run for this.',
  positionals: TARGET_ARGUMENTS,
  options: {
    ...PROJECT_OPTIONS,
    jobs: JOBS_OPTION,
    force: { ...FORCE_OPTION, description: 'plan as if these had to run again' },
    frozen: FROZEN_OPTION,
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

export async function planCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(PLAN, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const [file, ...targets] = parsed.positionals;
  const { values } = parsed;
  const jobs = jobsOf(values.jobs);
  if (typeof jobs === 'object' && jobs !== null) return answerUsage(jobs, io);
  return withSession(file!, values, io, async (session, stop) => {
    const wrong = wrongTarget(session, [...targets, ...values.force]);
    if (wrong !== null) return answerUsage(wrong, io);
    if (values.frozen && !(await holdsToLock(session, io))) return 2;
    const options = { targets, force: values.force, jobs, stop, json: values.json, disk: values.disk };
    return planTargets(session, options, io);
  });
}

export interface PlanOptions extends TargetOptions {
  json: boolean;
  /** Says what environments take of the disk. */
  disk?: boolean;
}

/** Prints what making the targets would do, and returns the exit code. Datasets, and filters of answers that exist, are run for it. */
export async function planTargets(session: Session, options: PlanOptions, io: CommandIo): Promise<number> {
  const { jobs, stop } = options;
  const { targets, graph, selection, leftOut } = scopeOf(session, options);
  const { cache } = session;
  const sayReading = (text: string) => void io.stderr.write(shown(`${text}\n`));
  const seen = cache.database.readOnly ? [] : await runLightStages(session, graph, stop.drain, sayReading);
  const end = await work(session, {
    ...{ jobs, selection, graph, targets, dryRun: true, drain: stop.drain },
    show: () => undefined,
  });
  const unmatched = unmatchedTarget([...targets, ...options.force], session, end);
  if (unmatched !== null) return answerUsage(unmatched, io);
  const stages = planRows(end);
  const project = session.project.config.name;
  const capacity = capacityOf(session.project, jobs);
  const time = estimate(end, { database: cache.database, project, capacity });
  const disk = options.disk === true ? await environmentDisk(session, end) : null;
  const agents = await agentSizes(session, end);
  const trainings = keptTrainings(cache.folder);
  if (options.json) {
    const facts = {
      ...{ stages, estimateMs: time.never.length === 0 ? time.known : null, never_ran: time.never },
      ...{ made_when_named: leftOut, seen, kept_trainings: trainings },
      ...(agents.length === 0 ? {} : { agents }),
      ...(disk === null ? {} : { disk }),
    };
    io.stdout.write(jsonLine(facts));
    return 0;
  }
  const more = leftOutLine(leftOut);
  const parts = [
    planText(stages, time, seen),
    more === null ? '' : `${more}\n`,
    agentsText(agents),
    keptText(trainings),
    disk === null ? '' : diskText(disk),
  ];
  io.stdout.write(shown(parts.join('')));
  return 0;
}
