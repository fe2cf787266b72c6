/** Files about many rollouts: predictions, results, a summary, and exit statuses. */
import { stringify } from 'yaml';
import type { ExitStatus } from '../../schemas/trajectory.ts';
import {
  type ExportedRollout,
  type ExportFile,
  type ExportName,
  jsonFile,
  known,
  modelName,
} from './rollout.ts';
import { sweAgentExitStatus } from './swe-agent.ts';
import { sweRlError, sweRlExitStatus, sweRlFolder, sweRlPatchSource } from './swe-rl.ts';

/** The parts of a rollout that are kept until the overview is written; trajectories would need too much memory. */
export interface Line {
  name: string;
  instance_id: string;
  sample: string;
  model: string;
  patch: string;
  /** null: there is no trajectory. */
  exitStatus: ExitStatus | null;
  /** SWE-agent's name for it. */
  exit: string;
  /** swe-rl's line of results.jsonl. */
  result: Result;
  cost: number;
  /** When it ended, milliseconds since 1970; null: not known. */
  endedAt: number | null;
}

interface Result {
  instance_id: string;
  resolved: boolean;
  exit_status: string | null;
  patch_source: string | null;
  n_steps: number;
  error: string | null;
  /** Seconds, one decimal. */
  elapsed: number;
  run_dir: string;
}

export function lineOf(rollout: ExportedRollout, place: ExportName): Line {
  const { instance_id, sample, trajectory, patch, verdict, timings, startedAt } = rollout;
  return {
    name: place.name,
    instance_id,
    sample,
    model: modelName(rollout),
    patch,
    exitStatus: trajectory?.exit_status ?? null,
    exit: sweAgentExitStatus(rollout),
    result: {
      instance_id,
      resolved: verdict?.resolved ?? false,
      exit_status: trajectory === null ? null : sweRlExitStatus(trajectory.exit_status),
      patch_source: trajectory === null ? null : sweRlPatchSource(trajectory),
      n_steps: trajectory?.steps.length ?? 0,
      error: trajectory === null ? null : sweRlError(trajectory),
      elapsed: rounded((timings?.total ?? 0) / 1000, 1),
      run_dir: sweRlFolder(rollout, place),
    },
    endedAt: startedAt === null || timings === null ? null : startedAt + timings.total,
    cost: known((trajectory?.calls ?? []).map((call) => call.cost)),
  };
}

/** `preds.json` as mini-swe-agent, SWE-agent and the SWE-bench harness read it. `idOf` names an entry. */
export function predictions(
  lines: readonly Line[],
  idOf: (line: Line) => string,
  path = 'preds.json',
): ExportFile {
  const entries = lines.map((line): [string, object] => {
    const instance_id = idOf(line);
    return [instance_id, { model_name_or_path: line.model, instance_id, model_patch: line.patch }];
  });
  return jsonFile(path, Object.fromEntries(entries));
}

/** `run_batch_exit_statuses.yaml`; `statusOf` names how one ended. */
export function exitStatuses(
  lines: readonly Line[],
  statusOf: (line: Line) => string,
  path = 'run_batch_exit_statuses.yaml',
): ExportFile {
  const byStatus: Record<string, string[]> = {};
  for (const line of lines) {
    const status = statusOf(line);
    byStatus[status] ??= [];
    byStatus[status].push(line.name);
  }
  const total_cost = known(lines.map((line) => line.cost));
  return { path, text: stringify({ instances_by_exit_status: byStatus, total_cost }) };
}

/** The rollouts of each agent, with the folder of its files: '' for numbered samples and for the only one, else its name. */
export function byAgent(lines: readonly Line[]): { folder: string; own: Line[] }[] {
  const agents = new Map<string, Line[]>();
  for (const line of lines) {
    const name = /^\d+$/.test(line.sample) ? '' : line.sample;
    const own = agents.get(name);
    if (own === undefined) agents.set(name, [line]);
    else own.push(line);
  }
  if (agents.size < 2) return [{ folder: '', own: [...lines] }];
  return [...agents].map(([name, own]) => ({ folder: name === '' ? '' : `${name}/`, own }));
}

/** swe-rl's `results.jsonl`, in the order of its names. */
export function results(lines: readonly Line[], folder = ''): ExportFile {
  const text = lines.map(({ result }) => `${JSON.stringify(result)}\n`).join('');
  return { path: `${folder}results.jsonl`, text };
}

/** swe-rl's `summary.json`. `data`: where the instances come from. Its time is the end of the last rollout. */
export function summary(lines: readonly Line[], data: string, folder = ''): ExportFile {
  const total = lines.length;
  const all = lines.map(({ result }) => result);
  const resolved = all.filter((one) => one.resolved).length;
  const mean = (values: number[]) => rounded(values.length === 0 ? 0 : known(values) / values.length, 1);
  // Long lists: spread into max would overflow the stack.
  const ended = lines.reduce((latest, line) => Math.max(latest, line.endedAt ?? 0), 0);
  return jsonFile(`${folder}summary.json`, {
    model: [...new Set(lines.map((line) => line.model))].join(', '),
    data,
    total,
    resolved,
    resolve_rate: rounded(total === 0 ? 0 : resolved / total, 4),
    errors: all.filter((one) => one.error !== null).length,
    no_patch: lines.filter((line) => line.patch === '').length,
    avg_steps: mean(all.map((one) => one.n_steps)),
    avg_elapsed_s: mean(all.map((one) => one.elapsed)),
    timestamp: ended > 0 ? new Date(ended).toISOString() : null,
    args: {},
  });
}

function rounded(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}
