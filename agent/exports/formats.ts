/** The formats for `swemake export`, by the names of the command line. */
import type { Trajectory } from '../../schemas/trajectory.ts';
import { mainTrajectory } from '../tree/lines.ts';
import { atifFiles } from './atif.ts';
import { miniExitStatus, miniTrajectory } from './mini.ts';
import { byAgent, exitStatuses, type Line, predictions, results, summary } from './overview.ts';
import { type ExportedRollout, type ExportFile, type ExportName, jsonFile } from './rollout.ts';
import { sweAgentFiles } from './swe-agent.ts';
import { sweRlFiles } from './swe-rl.ts';
import { sweSmithFiles } from './swe-smith.ts';
import { type SampleSettings, tokenFiles } from './tokens.ts';

interface About {
  /** Where the instances come from. */
  data: string;
}

export interface ExportFormat {
  description: string;
  /**
   * How several rollouts of one instance are distinguished: by names, or by a folder for each sample, for tools that
   * know an instance only once.
   */
  several: 'names' | 'folders';
  /** Files of one rollout. */
  files(rollout: ExportedRollout, place: ExportName, samples: SampleSettings): ExportFile[];
  /** Files about all of them. */
  overview(lines: readonly Line[], about: About): ExportFile[];
}

export const EXPORT_FORMATS: Readonly<Record<string, ExportFormat>> = {
  mini: {
    description: 'mini-swe-agent: ID/ID.traj.json, preds.json, exit_statuses.yaml',
    several: 'folders',
    files: (rollout, { name }) =>
      hasTrajectory(rollout)
        ? [jsonFile(`${name}/${name}.traj.json`, miniTrajectory(ofOneLine(rollout)))]
        : [],
    overview: (lines) => [
      predictions(lines, (line) => line.instance_id),
      exitStatuses(
        lines,
        (line) => (line.exitStatus === null ? 'unknown' : miniExitStatus(line.exitStatus)),
        'exit_statuses.yaml',
      ),
    ],
  },
  'swe-agent': {
    description: 'SWE-agent: ID/ID.traj and .pred, preds.json, run_batch_exit_statuses.yaml',
    several: 'names',
    files: (rollout, place) => sweAgentFiles(ofOneLine(rollout), place),
    overview: (lines) => [predictions(lines, (line) => line.name), exitStatuses(lines, (line) => line.exit)],
  },
  'swe-smith': {
    description:
      'SWE-smith: trajectories as SWE-agent’s, and reports by which its scripts know what was resolved',
    several: 'names',
    files: (rollout, place) => sweSmithFiles(ofOneLine(rollout), place),
    overview: (lines) => [
      predictions(lines, (line) => line.name, 'trajectories/preds.json'),
      exitStatuses(lines, (line) => line.exit, 'trajectories/run_batch_exit_statuses.yaml'),
    ],
  },
  'swe-rl': {
    description:
      'swe-rl: traj.json, patch.diff and meta.json per rollout, results.jsonl and summary.json per agent',
    several: 'names',
    files: (rollout, place) => (hasTrajectory(rollout) ? sweRlFiles(ofOneLine(rollout), place) : []),
    // A rate is of one agent: its numbered samples, a baseline, or a model of an evaluation.
    overview: (lines, { data }) =>
      byAgent(lines).flatMap(({ folder, own }) => [results(own, folder), summary(own, data, folder)]),
  },
  atif: {
    description: 'Harbor: ID/agent/trajectory.json in its interchange format (ATIF), ID/verifier/reward.txt',
    several: 'names',
    files: (rollout, place) => (hasTrajectory(rollout) ? atifFiles(rollout, place) : []),
    overview: () => [],
  },
  preds: {
    description: 'preds.json alone, for the SWE-bench harness',
    several: 'folders',
    files: () => [],
    overview: (lines) => [predictions(lines, (line) => line.instance_id)],
  },
  tokens: {
    description:
      'training samples: token ids, loss masks, log-probabilities, rewards; JSON Lines per rollout',
    several: 'names',
    files: tokenFiles,
    overview: () => [],
  },
  swemake: {
    description: 'our own: trajectory.json, patch.diff, verdict.json',
    several: 'names',
    files: ownFiles,
    overview: () => [],
  },
};

function ownFiles({ trajectory, patch, verdict }: ExportedRollout, { name }: ExportName): ExportFile[] {
  return [
    ...(trajectory === null ? [] : [jsonFile(`${name}/trajectory.json`, trajectory)]),
    { path: `${name}/patch.diff`, text: patch },
    ...(verdict === null ? [] : [jsonFile(`${name}/verdict.json`, verdict)]),
  ];
}

/** For formats that know no trees: the agent's own line, without the times of the others. */
function ofOneLine<Rollout extends ExportedRollout>(rollout: Rollout): Rollout {
  const { trajectory } = rollout;
  if (trajectory?.tools === undefined) return rollout;
  return { ...rollout, trajectory: mainTrajectory(trajectory), timings: null };
}

function hasTrajectory(rollout: ExportedRollout): rollout is ExportedRollout & { trajectory: Trajectory } {
  return rollout.trajectory !== null;
}
