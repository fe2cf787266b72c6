/** `build`: makes the targets of a project. */
import { resolve } from 'node:path';
import { holdsToLock } from '../app/frozen.ts';
import type { CommandIo } from '../app/io.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { answerUsage, type CommandSpec, option, parseCommand } from './arguments.ts';
import { readConditions } from './fail-on.ts';
import { makeTargets } from './make-targets.ts';
import { planTargets } from './plan.ts';
import {
  FORCE_OPTION,
  FROZEN_OPTION,
  JOBS_OPTION,
  jobsOf,
  TARGET_ARGUMENTS,
  withSession,
  wrongTarget,
} from './targets.ts';

/** Where files for the user go; also of `retry`. */
const OUT_OPTION = option(
  'DIR',
  'folder for the files that are written for you, in a folder with the project’s name (default: out beside the project)',
);

export const BUILD = {
  name: 'build',
  summary: 'Make the targets of a project: run what is new or changed, take everything else from the cache.',
  positionals: TARGET_ARGUMENTS,
  options: {
    ...PROJECT_OPTIONS,
    jobs: JOBS_OPTION,
    force: { ...FORCE_OPTION, description: 'run these again even if the cache has their answers' },
    frozen: FROZEN_OPTION,
    'fail-on': {
      ...option(
        'EXPR',
        'end with code 1 when this holds, such as "resolved < 30%", "oracle < 100%" or "validate.failed > 5"',
      ),
      multiple: true,
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

export async function buildCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(BUILD, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const [file, ...targets] = parsed.positionals;
  const { force, json, quiet: isQuiet, frozen, out, 'dry-run': isDry, ...values } = parsed.values;
  const jobs = jobsOf(values.jobs);
  if (typeof jobs === 'object' && jobs !== null) return answerUsage(jobs, io);
  const conditions = readConditions(values['fail-on']);
  if (!Array.isArray(conditions)) return answerUsage(conditions, io);
  return withSession(file!, parsed.values, io, async (session, stop) => {
    const wrong = wrongTarget(session, [...targets, ...force]);
    if (wrong !== null) return answerUsage(wrong, io);
    if (frozen && !(await holdsToLock(session, io))) return 2;
    const options = { targets, force, jobs, stop, json };
    if (isDry) return planTargets(session, options, io);
    const asks = frozen ? 'never' : 'daily';
    return makeTargets(session, { ...options, conditions, isQuiet, asks, out: outOf(out, io) }, io);
  });
}

/** The value of --out as a path; null when it is not given. */
export function outOf(value: string | undefined, io: CommandIo): string | null {
  return value === undefined ? null : resolve(io.cwd, value);
}
