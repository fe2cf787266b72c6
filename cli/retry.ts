/**
 * `retry`: runs items again whose cached answer was not `ok`, and then makes the targets. What was not found is asked for
 * again, and runs again only if it is there now. Faults of the machine need no retry: they are not answers, so every build
 * tries them again.
 */

import type { CommandIo } from '../app/io.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { type Session, work } from '../app/session.ts';
import { shown } from '../app/shown.ts';
import { matchesGlob } from '../basics/glob.ts';
import { closure, nodesOfTarget, splitAddress } from '../compiler/graph.ts';
import { Selection } from '../engine/selection.ts';
import { FAILED_REASONS, isFault, type Outcome } from '../schemas/outcome.ts';
import { answerUsage, type CommandSpec, option, parseCommand, type UsageError } from './arguments.ts';
import { BUILD, outOf } from './build.ts';
import { makeTargets } from './make-targets.ts';
import { planTargets } from './plan.ts';
import { JOBS_OPTION, jobsOf, TARGET_ARGUMENTS, withSession, wrongTarget } from './targets.ts';

const STATUSES = ['failed', 'flaky', 'timeout'] as const;
const KINDS: readonly string[] = [...STATUSES, ...FAILED_REASONS];

const RETRY = {
  name: 'retry',
  summary:
    'Run items again whose answer was failed, flaky or timeout, then make the targets. What was not found is asked for again, and runs again if it is there now.',
  positionals: TARGET_ARGUMENTS,
  options: {
    ...PROJECT_OPTIONS,
    failed: option(
      '[=REASON]',
      'only failed items; with =KIND only those of a reason such as gold-fails, or only flaky, or only timeout',
    ),
    jobs: JOBS_OPTION,
    out: BUILD.options.out,
    'dry-run': BUILD.options['dry-run'],
    json: BUILD.options.json,
  },
  examples: [
    ['swemake retry project.yaml', 'all that failed, was flaky or ran into its timeout'],
    ['swemake retry project.yaml validate --failed=gold-fails', 'validations that failed for one reason'],
  ],
} as const satisfies CommandSpec;

export async function retryCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(
    RETRY,
    args.map((arg) => (arg === '--failed' ? '--failed=failed' : arg)),
  );
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const [file, ...targets] = parsed.positionals;
  const { values } = parsed;
  const jobs = jobsOf(values.jobs);
  const wrong = typeof jobs === 'object' && jobs !== null ? jobs : wrongKind(values.failed);
  if (wrong !== null) return answerUsage(wrong, io);
  return withSession(file!, values, io, async (session, stop) => {
    const unknown = wrongTarget(session, targets);
    if (unknown !== null) return answerUsage(isReason(targets, values.failed) ?? unknown, io);
    const forceItems = await unsuccessful(session, targets, values.failed ?? null, stop.drain);
    const count = [...forceItems.values()].reduce((sum, items) => sum + items.size, 0);
    if (!values.json) io.stderr.write(shown(`${count} ${count === 1 ? 'item' : 'items'} to run again\n`));
    const options = { targets, force: [], forceItems, jobs: jobs as number | null, stop, json: values.json };
    if (values['dry-run']) return planTargets(session, options, io);
    return makeTargets(session, { ...options, asks: 'always', out: outOf(values.out, io) }, io);
  });
}

function wrongKind(kind: string | undefined): UsageError | null {
  if (kind === undefined || KINDS.includes(kind)) return null;
  const remedy = `--failed alone, or one of ${KINDS.join(', ')}`;
  return { kind: 'usage', message: `there is no reason "${kind}"`, remedy };
}

/** `--failed gold-fails`, which reads like a reason and is a target. */
function isReason(targets: readonly string[], failed: string | undefined): UsageError | null {
  const reason = targets.find((target) => KINDS.includes(target));
  if (failed === undefined || reason === undefined) return null;
  return {
    kind: 'usage',
    message: `"${reason}" is separate from --failed`,
    remedy: `write --failed=${reason}`,
  };
}

/** Items by node whose answer is of the kind, as far as the targets mean them. */
async function unsuccessful(
  session: Session,
  targets: readonly string[],
  kind: string | null,
  drain: AbortSignal,
): Promise<Map<string, Set<string>>> {
  const wanted = targets.length === 0 ? ['*'] : targets;
  const graph = closure(
    session.graph,
    new Set(wanted.flatMap((target) => nodesOfTarget(session.graph, target))),
  );
  const selection = new Selection(graph, [], []);
  const plan = { jobs: null, selection, graph, dryRun: true, targets: [], drain, show: () => undefined };
  const { nodes } = await work(session, plan);
  const found = new Map<string, Set<string>>();
  for (const target of wanted) {
    const item = splitAddress(target)[1];
    for (const address of nodesOfTarget(graph, target)) {
      const { state, blocked } = nodes.get(address)!;
      // What rests on something that was not found is asked about instead.
      const rests = (name: string) => state.record(name)?.absent !== undefined;
      const bad =
        blocked !== null
          ? []
          : state.entries().filter(({ name, outcome }) => isOf(kind, outcome) && !rests(name));
      const names = bad.map(({ name }) => name).filter((name) => item === null || matchesGlob(item, name));
      if (names.length > 0) found.set(address, new Set([...(found.get(address) ?? []), ...names]));
    }
  }
  return found;
}

function isOf(kind: string | null, outcome: Outcome): boolean {
  if (outcome.status === 'ok' || isFault(outcome)) return false;
  return kind === null || outcome.status === kind || outcome.reason === kind;
}
