/**
 * Which settings of a project had no effect. A key of `trainer.rl` has an effect if the training is started in another way when its value
 * is another one: other options, files or variables. What reaches only the functions of a rollout must have been read there: the driver
 * records which variables and options were. A key of `agent` has an effect if the agent behaves in another way.
 */
import { agentSettings } from '../../agent/resolve.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import type { AgentConfig, RlConfig } from '../../schemas/generated/project.ts';
import { type Start, startOf } from '../../tasks/training/script.ts';
import type { Rehearsal } from '../../trainers/rehearsal.ts';
import type { RlJob, RlTrainer } from '../../trainers/trainer.ts';
import type { DriverReport } from './driver-report.ts';

/** A key that is written in the project, and why it had no effect. */
export interface Unread {
  key: string;
  why: string;
}

/**
 * Decide nothing that a training is: who pays, who waits, where it is kept, how its checkpoints are written. `mode` decides what comes
 * before it: whether weights are converted.
 */
const OTHERS =
  /^(type|rows|deployment|gpus|timeout|keep|output|output_folder|commit|data|model|env|overrides|image|metrics|steps|epochs|command|mode)\b/;
/** Variables that only swemake's hooks read. */
const OWN = /^SWEMAKE_/;

export async function unreadTrainer(
  project: ResolvedProject,
  { trainer, job, table }: { trainer: RlTrainer; job: RlJob; table: Rehearsal },
  report: DriverReport,
): Promise<Unread[]> {
  const before = await startOf(trainer, job, null, []);
  const found: Unread[] = [];
  for (const path of writtenBelow(project, 'trainer.rl')) {
    if (OTHERS.test(path)) continue;
    const config = changed(job.config, path.split('.'));
    if (config === null) continue;
    const after = await startOf(trainer, { ...job, config }, null, []);
    const why = reaches(before, after, table, report);
    if (why !== null) found.push({ key: path, why });
  }
  for (const name of Object.keys(job.config.env))
    if (OWN.test(name) && report.reads !== undefined && !report.reads.variables.includes(name))
      found.push({ key: `env.${name}`, why: 'no function of the rollouts read this variable' });
  return found;
}

/** Why a change of a key changes nothing that anybody reads; null: it does. */
function reaches(before: Start, after: Start, table: Rehearsal, { reads }: DriverReport): string | null {
  const names = [...new Set([...Object.keys(before.variables), ...Object.keys(after.variables)])];
  const variables = names.filter((name) => before.variables[name] !== after.variables[name]);
  // A line that passes a variable on, such as to a job of Ray, is that variable.
  const words = difference(before, after).filter((line) => !variables.some((name) => line.includes(name)));
  if (variables.length === 0 && words.length === 0)
    return 'the training is started in the same way, whatever its value is';
  if (reads === undefined) return null;
  const only = table.forFunctions ?? [];
  const unreadVariables = variables.every((name) => OWN.test(name) && !reads.variables.includes(name));
  const unreadOptions = words.every((word) =>
    only.some((name) => word.startsWith(`--${name}`) && !reads.options.includes(name.replaceAll('-', '_'))),
  );
  if (!unreadVariables || !unreadOptions) return null;
  const passedOn = [...new Set([...variables, ...words.map((word) => word.split(/[ =]/)[0])])].join(', ');
  return `${passedOn} is passed on, and no function of the rollouts read it`;
}

/** Lines of the command and of its files that one of them has alone. */
function difference(before: Start, after: Start): string[] {
  const lines = ({ files }: Start) =>
    Object.values(files).flatMap((text) => text.split('\n').map((line) => line.replace(/\\$/, '').trim()));
  const [first, second] = [lines(before), lines(after)];
  return [
    ...first.filter((line) => !second.includes(line)),
    ...second.filter((line) => !first.includes(line)),
  ];
}

/** Keys of `agent` that no agent server of this training reads. `isServed`: there is one. */
export async function unreadAgent(project: ResolvedProject, isServed: boolean): Promise<Unread[]> {
  const { agent } = project.config;
  if (agent === undefined) return [];
  const all = writtenBelow(project, 'agent');
  if (!isServed)
    return all
      .filter((path) => !SHARED.test(path))
      .map((key) => ({ key, why: 'the functions of this training ask no agent server of this project' }));
  const settings = await settingsOf(agent);
  const found: Unread[] = [];
  for (const path of all) {
    if (SERVED.test(path)) continue;
    const other = changed(agent, path.split('.'));
    if (other !== null && (await settingsOf(other)) === settings)
      found.push({ key: path, why: 'rollouts of a training are the same, whatever its value is' });
  }
  return found;
}

/** Keys that give the model's address and tokenizer, for every caller. */
const SHARED = /^(type|model)\b/;
/** What an agent server reads besides the agent's own settings, and names of what agents have, of which another one is none. */
const SERVED = /^(type|dialect|actions|deployment|model|step_rewards|user\.model|seed|templates|env)\b/;

async function settingsOf(agent: AgentConfig): Promise<string> {
  const made = await agentSettings(agent, undefined, async () => '', { tryTexts: false });
  return JSON.stringify(made.ok ? made.value : made.fault);
}

/** Leaves that the project file, a profile or --set wrote, below a key. */
function writtenBelow({ origins }: ResolvedProject, above: string): string[] {
  return [...origins]
    .filter(([path, { kind }]) => kind !== 'default' && path.startsWith(`${above}.`))
    .map(([path]) => path.slice(above.length + 1).replace(/\[.*$/, ''))
    .filter((path, index, all) => all.indexOf(path) === index)
    .sort();
}

/** A copy with another value at a place; null: there is none. */
function changed<T extends RlConfig | AgentConfig>(config: T, path: readonly string[]): T | null {
  const copy = structuredClone(config) as Record<string, unknown>;
  let at: Record<string, unknown> = copy;
  for (const part of path.slice(0, -1)) {
    const next = at[part];
    if (typeof next !== 'object' || next === null) return null;
    at = next as Record<string, unknown>;
  }
  const last = path.at(-1)!;
  const value = at[last];
  if (value === undefined) return null;
  at[last] = another(value);
  return copy as T;
}

function another(value: unknown): unknown {
  if (typeof value === 'number') return value * 2 + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string') return `${value}x`;
  return Array.isArray(value) ? [] : {};
}
