/**
 * Our trajectories in Harbor's interchange format, read by Harbor's own models. They come from the package index
 * (`harbor` and `pydantic`), or from the interpreter that HARBOR_PYTHON names.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { atifFiles } from '../../../agent/exports/atif.ts';
import { linesOf } from '../../../agent/tree/lines.ts';
import { TREE_FORMAT } from '../../../schemas/trajectory.ts';
import { Player } from '../tree/agents.ts';
import { exampleRollout } from '../tree/example.ts';
import { example } from './example.ts';

const HARBOR = 'harbor==0.25.0';
const folder = mkdtempSync(join(tmpdir(), 'swemake-atif-'));
const python = process.env.HARBOR_PYTHON ?? join(folder, 'venv/bin/python');
const whyNot = process.env.HARBOR_PYTHON === undefined ? install() : null;
if (whyNot !== null) console.warn(`skipped: Harbor's models of trajectories, ${whyNot}`);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Why its models are not here; null: they are. They need no other part of it, and any Python. */
function install(): string | null {
  try {
    execFileSync('python3', ['-m', 'venv', join(folder, 'venv')], { stdio: 'pipe' });
    const pip = (...args: string[]) =>
      execFileSync(join(folder, 'venv/bin/pip'), ['install', '-q', ...args], { stdio: 'pipe' });
    pip('--no-deps', '--ignore-requires-python', HARBOR);
    pip('pydantic');
    return null;
  } catch (error) {
    const said = String((error as { stderr?: Buffer }).stderr ?? error).trim();
    return `they could not be installed: ${said.split('\n').at(-1)}`;
  }
}

const READ = `
import json, sys
from harbor.models.trajectories import Trajectory
for line in sys.stdin:
    read = Trajectory.model_validate(json.loads(line))
    within = read.subagent_trajectories or []
    ids = {one.trajectory_id for one in within}
    refs = [ref.trajectory_id for step in read.steps if step.observation for result in step.observation.results for ref in result.subagent_trajectory_ref or []]
    print(json.dumps({"version": read.schema_version, "steps": len(read.steps), "within": len(within), "resolved": all(ref in ids for ref in refs), "refs": len(refs)}))
`;

interface Read {
  version: string;
  steps: number;
  within: number;
  resolved: boolean;
  refs: number;
}

function read(rollouts: readonly ReturnType<typeof exampleRollout>[]): Read[] {
  const lines = rollouts.map((rollout) =>
    JSON.stringify(JSON.parse(atifFiles(rollout, { name: 'a' })[0]!.text)),
  );
  const output = execFileSync(python, ['-c', READ], { input: `${lines.join('\n')}\n`, encoding: 'utf8' });
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Read);
}

describe.skipIf(whyNot !== null)('Harbor reads', () => {
  test('a trajectory of one line, and one with sub-agents', () => {
    expect(read([example(), exampleRollout()])).toEqual([
      { version: 'ATIF-v1.7', steps: expect.any(Number), within: 0, resolved: true, refs: 0 },
      { version: 'ATIF-v1.8', steps: 10, within: 4, resolved: true, refs: 3 },
    ]);
  });

  test('whatever agents did', () => {
    const rollouts = Array.from({ length: 100 }, (_, seed) => {
      const { messages, calls, tools, steps } = new Player(seed + 1).play().tree.record();
      const rollout = exampleRollout();
      return {
        ...rollout,
        trajectory: { ...rollout.trajectory, format: TREE_FORMAT, messages, calls, tools, steps },
      } as typeof rollout;
    });
    const found = read(rollouts);
    for (const [index, { trajectory }] of rollouts.entries()) {
      const others = linesOf(trajectory).filter(({ agent }) => agent !== 'main');
      expect(found[index]).toMatchObject({ version: 'ATIF-v1.8', within: others.length, resolved: true });
    }
  });
});
