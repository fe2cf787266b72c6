/**
 * Trajectories in Harbor's interchange format (ATIF) as conversations, one row each: the messages of a model, what it
 * wrote, and the result. A job of Harbor leaves a folder of them, and so does an export of swemake.
 */

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { whenAbsent } from '../../../basics/absent.ts';
import { jsonObject } from '../../../basics/json.ts';
import { badRow, type RawRow, type ReadRow } from '../../../formats/row.ts';

/** Jobs, their trials, and a trial's own folders. */
const DEEPEST = 4;
const NAME = /(^|[./])trajectory\.json$/;

/** `resolved`: those that the verifier gave a reward above 0. */
export const ATIF_SPLITS = ['all', 'resolved'];

/** The trajectories in a folder, in the order of their paths. */
export async function atifPaths(folder: string, depth = 1): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(whenAbsent([]));
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < DEEPEST) found.push(...(await atifPaths(path, depth + 1)));
    else if (entry.isFile() && NAME.test(entry.name)) found.push(path);
  }
  return found;
}

/** Beside a trajectory: files that say its reward. They decide rows, so they are part of the dataset. */
export function rewardPaths(trajectory: string): string[] {
  const trial = trialOf(trajectory);
  return ['verifier/reward.json', 'verifier/reward.txt'].map((path) => join(trial, path)).filter(existsSync);
}

/** `TRIAL/agent/trajectory.json`, or a file in the trial's own folder. */
function trialOf(path: string): string {
  const folder = dirname(path);
  return basename(folder) === 'agent' ? dirname(folder) : folder;
}

/** A row per trajectory of `paths`, among which are the files that say rewards. */
export async function* readAtif(paths: readonly string[], split: string): AsyncGenerator<ReadRow> {
  let line = 0;
  for (const path of paths) {
    if (!NAME.test(path)) continue;
    line += 1;
    const row = atifRow(line, await objectAt(path), trialOf(path), await rewardOf(path));
    const isWanted = 'message' in row || split === 'all' || Number(row.row.reward ?? 0) > 0;
    if (isWanted) yield row;
  }
}

interface Step {
  source?: unknown;
  message?: unknown;
  reasoning_content?: unknown;
  tool_calls?: Call[] | null;
  observation?: {
    results?: { source_call_id?: string | null; content?: unknown; subagent_trajectory_ref?: unknown }[];
  } | null;
  is_copied_context?: boolean | null;
  extra?: { rejected?: boolean; history?: unknown } | null;
}

interface Call {
  tool_call_id: string;
  function_name: string;
  arguments: unknown;
  extra?: { as_text?: boolean } | null;
}

/** One trajectory as a row with `messages`. */
function atifRow(line: number, atif: RawRow | null, trial: string, given: number | null): ReadRow {
  const id = basename(trial);
  const bad = (field: string, message: string) => badRow(line, id, field, `${trial}: ${message}`);
  if (atif === null) return bad('', 'trajectory.json is no JSON object');
  if (!/^ATIF-v1\.\d+$/.test(String(atif.schema_version)))
    return bad('schema_version', `"${String(atif.schema_version)}" is no ATIF of version 1`);
  if (!Array.isArray(atif.steps) || atif.steps.length === 0) return bad('steps', 'there are none');
  const messages: RawRow[] = [];
  const steps = atif.steps as Step[];
  for (const [index, step] of steps.entries()) {
    if (isHandoff(step)) {
      if (steps.slice(index).every(({ source }) => source !== 'agent')) break;
      return bad(
        `steps[${index}]`,
        'a summary took the place of what was said before, so it is not what the model was told afterwards; let the agent write a trajectory for each context (linear_history)',
      );
    }
    if (step.is_copied_context === true)
      return bad(
        `steps[${index}]`,
        'it was copied from another trajectory, and is not to be trained on again',
      );
    // A reply that was refused is in no later prompt.
    if (step.extra?.rejected === true) continue;
    const made = messagesOf(step);
    if (typeof made === 'string') return bad(`steps[${index}]`, made);
    messages.push(...made);
  }
  if (messages[0]?.role === 'assistant')
    return bad('steps', 'it begins with a reply, and does not say what the model was told');
  answerCalls(messages);
  const extra = (atif.extra ?? {}) as RawRow;
  const agent = (atif.agent ?? {}) as RawRow;
  const own = typeof extra.reward === 'number' ? extra.reward : null;
  const reward = given ?? own;
  const tools = Array.isArray(agent.tool_definitions) ? { tools: agent.tool_definitions } : {};
  return {
    line,
    row: {
      messages,
      ...tools,
      instance_id: typeof extra.instance_id === 'string' ? extra.instance_id : id,
      traj_id: String(atif.trajectory_id ?? atif.session_id ?? id),
      model: typeof agent.model_name === 'string' ? agent.model_name : null,
      reward,
      resolved: reward === null ? null : reward > 0,
    },
  };
}

/** A note that the conversation was replaced by a summary: the model saw only the summary from then on. */
function isHandoff({ source, observation, extra }: Step): boolean {
  const refers = (observation?.results ?? []).some((one) => one.subagent_trajectory_ref != null);
  return source === 'system' && (refers || extra?.history === 'begins anew');
}

/** A call whose step has no observation printed nothing. After the last reply no model reads on. */
function answerCalls(messages: RawRow[]): void {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  for (let at = last - 1; at >= 0; at--) {
    const calls = (messages[at]!.tool_calls ?? []) as { id: string }[];
    const next = messages.findIndex(({ role }, index) => index > at && role === 'assistant');
    const answers = messages.slice(at + 1, next).map(({ tool_call_id: id }) => id);
    const silent = calls.filter(({ id }) => !answers.includes(id));
    messages.splice(at + 1, 0, ...silent.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '' })));
  }
}

/** A step as messages; a text says why it cannot be. */
function messagesOf({
  source,
  message,
  reasoning_content,
  tool_calls,
  observation,
}: Step): RawRow[] | string {
  const content = textOf(message);
  if (content === null) return 'it holds more than text';
  const results: RawRow[] = [];
  const asked = (tool_calls ?? []).filter(({ extra }) => extra?.as_text !== true);
  const ids = new Set(asked.map(({ tool_call_id: id }) => id));
  for (const result of observation?.results ?? []) {
    // Says only that a sub-agent worked meanwhile.
    if (result.content == null && result.subagent_trajectory_ref != null) continue;
    const shown = textOf(result.content ?? '');
    if (shown === null) return 'it holds more than text';
    const id = result.source_call_id;
    results.push(
      id && ids.has(id)
        ? { role: 'tool', tool_call_id: id, content: shown }
        : { role: 'user', content: shown },
    );
  }
  if (source === 'system') return [{ role: 'system', content }, ...results];
  if (source === 'user') return [{ role: 'user', content }, ...results];
  if (source !== 'agent') return `its source "${String(source)}" is none of system, user and agent`;
  const calls = asked.map(({ tool_call_id: id, function_name: name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(given ?? {}) },
  }));
  const reply = {
    role: 'assistant',
    content,
    ...(typeof reasoning_content === 'string' ? { reasoning_content } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return [reply, ...results];
}

/** null: pictures or sound, which conversations of text have no place for. */
function textOf(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const parts = content as { type?: unknown; text?: unknown }[];
  return parts.every(({ type, text }) => type === 'text' && typeof text === 'string')
    ? parts.map(({ text }) => text).join('')
    : null;
}

/** What the verifier wrote: a number, or the key `reward`, else the first one. */
async function rewardOf(trajectory: string): Promise<number | null> {
  for (const path of rewardPaths(trajectory)) {
    const text = await readFile(path, 'utf8');
    const value = path.endsWith('.txt') ? Number(text.trim() || Number.NaN) : numberIn(await objectAt(path));
    if (Number.isFinite(value)) return value;
  }
  return null;
}

function numberIn(rewards: RawRow | null): number {
  return Number(rewards?.reward ?? Object.values(rewards ?? {})[0] ?? Number.NaN);
}

async function objectAt(path: string): Promise<RawRow | null> {
  return jsonObject<RawRow>(await readFile(path, 'utf8').catch(whenAbsent('')));
}
