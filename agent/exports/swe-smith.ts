/**
 * Files for SWE-smith's scripts: trajectories in SWE-agent's format, and a report for each, in which `collect_trajs`
 * reads what was resolved.
 */
import { type ExportedRollout, type ExportFile, type ExportName, jsonFile, modelName } from './rollout.ts';
import { sweAgentFiles } from './swe-agent.ts';

export function sweSmithFiles(rollout: ExportedRollout, place: ExportName): ExportFile[] {
  const trajectories = sweAgentFiles(rollout, place).map(({ path, text }) => ({
    path: `trajectories/${path}`,
    text,
  }));
  const report = reportOf(rollout);
  if (report === null) return trajectories;
  const folder = `run_evaluation/${place.name}`;
  return [
    ...trajectories,
    jsonFile(`${folder}/report.json`, report),
    { path: `${folder}/patch.diff`, text: rollout.patch },
  ];
}

/** The benchmark's report of the instance, without its outer level: there the key is the instance, and SWE-smith looks for trajectories. */
function reportOf(rollout: ExportedRollout): object | null {
  const { report, verdict, instance_id, patch } = rollout;
  if (verdict === null) return null;
  const whole = (typeof report === 'object' ? report : null) as Record<string, unknown> | null;
  const inner = (whole?.[instance_id] ?? whole) as object | null;
  const own = {
    patch_exists: patch !== '',
    resolved: verdict.resolved,
    model_name_or_path: modelName(rollout),
  };
  return { ...own, ...inner };
}
