/** Exported files have the keys and types of real ones, message by message and step by step. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { miniTrajectory } from '../../../agent/exports/mini.ts';
import { lineOf, predictions } from '../../../agent/exports/overview.ts';
import { sweAgentTrajectory } from '../../../agent/exports/swe-agent.ts';
import { packageRoot } from '../../../basics/package-root.ts';
import { example } from './example.ts';

const DATA = join(packageRoot(), '../shared/data/trajectories');
const missing = !existsSync(DATA);
if (missing) console.log('skipped: there are no real trajectories at ../shared/data/trajectories');

type Fields = Record<string, unknown>;

function real<T>(name: string): T {
  return JSON.parse(readFileSync(join(DATA, name), 'utf8')) as T;
}

/** Keys of `theirs` that `ours` lacks or has as another type; numbers of ours may stand for theirs of any kind. */
function differences(theirs: Fields, ours: Fields | undefined, known: readonly string[] = []): string[] {
  if (ours === undefined) return ['(nothing like it)'];
  return Object.entries(theirs)
    .filter(([key, value]) => !known.includes(key) && kind(ours[key]) !== kind(value))
    .map(([key, value]) => `${key}: ${kind(value)}, ours ${kind(ours[key])}`);
}

function kind(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'list' : `list of ${kind(value[0])}`;
  return value === null ? 'null' : typeof value;
}

describe.skipIf(missing)('mini-swe-agent', () => {
  const ours = miniTrajectory(example()) as { messages: Fields[] };

  it.each(['local.traj.json', 'github_issue.traj.json'])('messages as in %s', (name) => {
    for (const message of real<Fields[]>(name)) {
      const same = ours.messages.find((one) => one.role === message.role);
      expect(differences(message, same)).toEqual([]);
    }
  });
});

describe.skipIf(missing)('SWE-agent', () => {
  const ours = sweAgentTrajectory(example()) as Record<'trajectory' | 'history', Fields[]> & Fields;

  // The first files of SWE-agent wrote a state as text, and other sums; its later ones write what ours have.
  it.each([
    ['sweagent-marshmallow-1867-function-calling.traj', [], []],
    ['sweagent-marshmallow-1867-xml.traj', ['state'], ['total_cost']],
  ] as const)('as in %s', (name, oldStep, oldStats) => {
    const theirs = real<typeof ours & { info: Fields }>(name);
    expect(differences(theirs, ours, ['replay_config'])).toEqual([]);
    for (const step of theirs.trajectory) {
      for (const own of ours.trajectory) expect(differences(step, own, oldStep)).toEqual([]);
    }
    for (const entry of theirs.history) {
      const own = ours.history.find(
        (one) =>
          one.message_type === entry.message_type &&
          ('tool_calls' in one || 'tool_call_ids' in one) ===
            ('tool_calls' in entry || 'tool_call_ids' in entry),
      );
      expect(differences(entry, own)).toEqual([]);
      const [call] = (entry.tool_calls ?? []) as Fields[];
      if (call !== undefined) expect(differences(call, (own!.tool_calls as Fields[])[0])).toEqual([]);
    }
    // Windows around edits, which only its own web view shows.
    const edited = ['edited_files30', 'edited_files50', 'edited_files70'];
    expect(differences(theirs.info, ours.info as Fields, edited)).toEqual([]);
    const stats = (ours.info as { model_stats: Fields }).model_stats;
    expect(differences(theirs.info.model_stats as Fields, stats, oldStats)).toEqual([]);
    const config = JSON.parse(ours.replay_config as string) as { agent: { model: Fields } };
    const { agent } = theirs.replay_config as { agent: { model: Fields } };
    expect(typeof config.agent.model.name).toBe(typeof agent.model.name);
  });

  it('predictions as in results.json', () => {
    const theirs = real<Record<string, Fields>>('results.json');
    const line = lineOf(example(), { name: 'a__b-1', group: 0, index: 0 });
    const own = JSON.parse(predictions([line], (one) => one.instance_id).text) as Record<string, Fields>;
    for (const [id, entry] of Object.entries(theirs)) {
      expect(entry.instance_id).toBe(id);
      expect(Object.keys(own['a__b-1']!).sort()).toEqual(Object.keys(entry).sort());
      expect(differences(entry, own['a__b-1'])).toEqual([]);
    }
  });
});
