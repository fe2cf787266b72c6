/**
 * The project that the benchmarks of scale build: 60,000 rows of some 5 KB over 130 environments, with a cache that
 * the real engine filled through the real stages. Only what an item's action would do is left out: it is answered
 * at once. One environment is broken, so that the real command can answer a row of it without running tests.
 */
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openSession } from '../app/session.ts';
import { processTag, thisProcess } from '../basics/process-identity.ts';
import { storeText } from '../cache/cache.ts';
import { loadProject } from '../compiler/load.ts';
import type { Stage } from '../contract/stage.ts';
import type { EventSink } from '../engine/events.ts';
import { openJournal } from '../engine/journal.ts';
import { type RunEnd, runGraph } from '../engine/run.ts';
import { Selection } from '../engine/selection.ts';
import type { GradeVerdict } from '../grading/grade-verdict.ts';
import type { Outcome } from '../schemas/outcome.ts';
import { STAGES } from '../stages/registry.ts';
import type { RolloutSummary } from '../stages/rollouts/summary.ts';
import { generateJsonl } from '../test/rig/rows.ts';

export const ENVIRONMENTS = 130;
const SEED = 11;
/** Characters of an output that does not fit in a record. */
const LARGE = 17_000;
/** A full commit is its own pin, so that no network is asked. */
const commitOf = (environment: number): string =>
  (environment + 1).toString(16).padStart(4, '0').padStart(40, '5e8c');
export const BROKEN = 'package129.';

export interface BenchProject {
  file: string;
  rows: string;
}

/** Writes the project and its rows below `folder`; with `agent` two rollouts of each instance, one of them the noop's. */
export function writeProject(folder: string, instances: number, { agent = false } = {}): BenchProject {
  const rows = join(folder, 'rows.jsonl');
  const out = openSync(rows, 'w');
  for (const text of generateJsonl(instances, ENVIRONMENTS, SEED)) writeSync(out, text);
  closeSync(out);
  const file = join(folder, 'bench.yaml');
  const text = [
    'version: 1',
    'name: bench',
    'dataset:',
    '  train:',
    '    source: rows.jsonl',
    '    format: swe-smith',
    '    sources:',
    ...Array.from({ length: ENVIRONMENTS }, (_, environment) => {
      const source = `git+https://example.org/{repo}@${commitOf(environment)}`;
      return `      "*package${environment}.*": "${source}"`;
    }),
    'deployments: { box: { type: auto } }',
    'validation: { deployment: box }',
    ...(agent ? ['agent: { type: oracle, baselines: [noop] }'] : []),
  ];
  writeFileSync(file, `${text.join('\n')}\n`);
  return { file, rows };
}

/** Each call changes one letter of the patch of another row of the broken environment. */
export function rowChanger(path: string): () => void {
  const text = readFileSync(path);
  let at = 0;
  return () => {
    at = text.indexOf(`_${BROKEN}`, text.indexOf('\n', at));
    at = text.indexOf('"patch"', at);
    const file = openSync(path, 'r+');
    writeSync(file, '#', text.indexOf(' = ', at) + 1);
    closeSync(file);
  };
}

export interface FillOptions {
  emit?: EventSink;
  /** Every validation has an output of its own that is too large for its record. */
  withBlobs?: boolean;
  /** How the validation of an instance ends; all of them are ok without it. */
  outcomeOf?: (instance: string) => Outcome;
  /** What the validation of an instance writes; by itself a line for those that are not ok. */
  logOf?: (instance: string) => string;
  /** What the grading of a rollout writes; nothing by itself. */
  gradeLogOf?: (item: string) => string;
  /** Waited for by each action that is answered. */
  pace?: () => Promise<void>;
  /** The run writes its journal, so that others see it. */
  withJournal?: boolean;
  /** What runs again whatever the cache says. */
  forced?: string[];
}

/** Builds everything in this process, actions answered at once. */
export async function fillCache(file: string, options: FillOptions = {}): Promise<RunEnd> {
  const { emit = () => undefined, forced = [], withJournal = false } = options;
  const loaded = await loadProject(file, { env: process.env, cwd: process.cwd() });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.fault));
  const { stdout, stderr, env } = process;
  const io = { stdout, stderr, env, cwd: process.cwd(), isTTY: false };
  const bench = await openSession(loaded.value, io, new AbortController().signal);
  const journal = withJournal ? openJournal(bench.cache.folder.runs, bench.run) : null;
  const project = loaded.value.config.name;
  journal?.write({
    ...{ type: 'run-started', run: bench.run, project, targets: [] },
    process: processTag(thisProcess()),
  });
  try {
    const empty = join(bench.cache.folder.temporary, 'empty');
    mkdirSync(empty, { recursive: true });
    const layer = await bench.cache.layers.add(empty);
    return await runGraph(
      bench.graph,
      new Map(STAGES.map((stage) => [stage.name, answered(stage, layer.digest, options)])),
      bench.services,
      {
        run: bench.run,
        project,
        jobs: 64,
        capacity: {},
        selection: new Selection(bench.graph, [], forced),
        dryRun: false,
        emit: (event) => {
          emit(event);
          if (!['item-log', 'item-waits', 'item-progress'].includes(event.type)) journal?.write(event);
        },
        drain: new AbortController().signal,
        retryPauses: [],
      },
    );
  } finally {
    journal?.close();
    await bench.close();
  }
}

/** The stage with actions that answer at once; everything that keys are made of is untouched. */
function answered(
  stage: Stage,
  layer: string,
  { withBlobs = false, outcomeOf, logOf, gradeLogOf, pace }: FillOptions,
): Stage {
  if (stage.name === 'environments') {
    return {
      ...stage,
      run: async (_node, item, _needs, context) =>
        item.name.includes(BROKEN)
          ? { outcome: { status: 'failed', reason: 'install-failed', detail: 'made up' }, outputs: {} }
          : {
              outcome: { status: 'ok' },
              outputs: {
                environment: storeText(context.cache, '{}'),
                layer: { kind: 'layer', digest: layer as never },
              },
            },
    };
  }
  if (stage.name === 'validate') {
    return {
      ...stage,
      run: async (_node, item, _needs, context) => {
        await pace?.();
        const outcome = outcomeOf?.(item.name) ?? { status: 'ok' };
        const log =
          logOf?.(item.name) ?? (outcome.status === 'ok' ? '' : `${item.name} ends ${outcome.status}\n`);
        if (log !== '') context.log(log);
        const tests = storeText(context.cache, withBlobs ? item.name.padEnd(LARGE) : '{}');
        return { outcome, outputs: { tests } };
      },
    };
  }
  if (stage.name === 'rollouts')
    return {
      ...stage,
      run: async (_node, item, _needs, { cache }) => {
        await pace?.();
        const summary = JSON.stringify(summaryFor(item.name));
        const patch = isNoop(item.name) ? '' : PATCH;
        return {
          outcome: { status: 'ok' },
          outputs: { patch: storeText(cache, patch), summary: storeText(cache, summary) },
        };
      },
    };
  if (stage.name === 'grade')
    return {
      ...stage,
      run: async (_node, item, _needs, { cache, log }) => {
        await pace?.();
        const said = gradeLogOf?.(item.name) ?? '';
        if (said !== '') log(said);
        const resolved = !isNoop(item.name);
        const verdict = JSON.stringify(verdictFor(resolved));
        const outcome: Outcome = resolved
          ? { status: 'ok' }
          : { status: 'failed', reason: 'empty-patch', detail: 'the patch is empty' };
        return { outcome, outputs: { verdict: storeText(cache, verdict) } };
      },
    };
  return stage;
}

function isNoop(item: string): boolean {
  return item.endsWith('#noop');
}

const PATCH = 'diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n';

/** The test that verdicts are about. */
export const TEST = 'tests/test_a.py::test_one';

function summaryFor(item: string): RolloutSummary {
  const [instance_id = '', sample = ''] = item.split('#');
  const steps = isNoop(item) ? 1 : 5 + (item.length % 20);
  const tokens = isNoop(item) ? 0 : steps;
  const counts = {
    ...{ steps, calls: tokens, actions: steps },
    ...{ prompt_tokens: 4100 * tokens, completion_tokens: 160 * tokens },
  };
  return {
    ...{ instance_id, sample, ...counts, exit_status: 'submitted' as const },
    ...{ cost: null, model: null, final_step_reward: null },
  };
}

function verdictFor(resolved: boolean): GradeVerdict {
  return {
    ...{ reward: resolved ? (1 as const) : (0 as const), resolved, partial: false },
    ...{
      preset: 'default',
      relaxations: [],
      reason: null,
      detail: '',
      tests_status: {
        FAIL_TO_PASS: resolved ? { success: [TEST], failure: [] } : { success: [], failure: [TEST] },
        PASS_TO_PASS: { success: [], failure: [] },
      },
      integrity: [],
      repeats: 0,
    },
    patch: { files: resolved ? 1 : 0, bytes: resolved ? PATCH.length : 0, dropped: [] },
  };
}
