/**
 * Caches and lock files of earlier versions, opened by this one. `written/VERSION.tar.gz` is the folder of a small project that was built,
 * graded and locked by that version: its cache without layers, which are those of the machine, and without what is fetched again.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openCache, readText } from '../../cache/cache.ts';
import { parseTrajectory } from '../../schemas/trajectory.ts';
import { STAGES } from '../../stages/registry.ts';
import { command, commandJson } from '../rig/command.ts';
import { Project } from '../rig/project.ts';

const FOLDER = join(import.meta.dirname, 'written');
const VERSIONS = readdirSync(FOLDER).map((name) => name.replace('.tar.gz', ''));

/** The project as it was left. */
function left(version: string): Project {
  const project = new Project();
  execFileSync('tar', ['-C', project.folder, '-xzf', join(FOLDER, `${version}.tar.gz`)]);
  return project;
}

test('there is one of the first version', () => expect(VERSIONS).toContain('0.1.0'));

describe.each(VERSIONS)('of %s', (version) => {
  test('answers are found, or are asked for again because their stage has another version', async () => {
    const project = left(version);
    const { cached, executed } = await commandJson<{ cached: number; executed: number }>(
      project,
      ...['build', 'p.yaml', 'dataset'],
    );
    const before = (
      JSON.parse(readFileSync(project.path('p.yaml.lock'), 'utf8')) as { stages: Record<string, number> }
    ).stages.dataset;
    const isSame = STAGES.find(({ name }) => name === 'dataset')!.version === before;
    expect([cached, executed]).toEqual(isSame ? [1, 0] : [0, 1]);
  });

  test('logs, progress and trajectories are read', async () => {
    const project = left(version);
    const log = await command(project, 'logs', 'validate.train@tiny.0', '--project', 'p.yaml');
    expect([log.code, log.stdout]).toEqual([
      0,
      expect.stringContaining('test_value (test_m0.Test.test_value) ... FAIL'),
    ]);
    expect((await command(project, 'status', 'p.yaml')).stdout).toContain(
      '14 actions run: 12 ok · 2 failed; it finished',
    );
    const cache = await openCache(project.path('.swemake'));
    const found: string[] = [];
    for (const key of cache.database.records.getKeys()) {
      const text = await readText(cache, cache.database.records.get(key)!.outputs.trajectory);
      if (text !== null) found.push(parseTrajectory(text).sample);
    }
    await cache.close();
    expect(found.sort()).toEqual(['0', '0', 'noop', 'noop']);
  });

  test('nothing in it is damaged but for the layers that were left out', async () => {
    const project = left(version);
    const { problems } = await commandJson<{ problems: { kind: string; detail: string }[] }>(
      project,
      ...['verify', 'p.yaml', '--rehash'],
    );
    expect(problems.map(({ kind }) => kind).sort()).toEqual(['answer', 'source', 'stage']);
  });

  test('its lock file is obeyed: what differs is told, and nothing else', async () => {
    const project = left(version);
    const differing = async () => {
      const { stderr } = await command(project, 'build', 'p.yaml', 'dataset', '--frozen');
      // Another machine has another Python, and versions of stages were raised since.
      return [...stderr.matchAll(/^ {6}(\S+)$/gm)]
        .map(([, name]) => name!)
        .filter((name) => !/^(?:pythons|stages)\./.test(name));
    };
    expect(await differing()).toEqual([]);
    const rows = readFileSync(project.path('rows.jsonl'), 'utf8');
    writeFileSync(project.path('rows.jsonl'), rows.replace('m0 is wrong', 'm0 is odd'));
    expect(await differing()).toEqual(['datasets.train.rows']);
  });
});
