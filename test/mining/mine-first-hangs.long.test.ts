/** `swemake mine` with one action at a time, whose first candidate never ends: it gives its place to the others. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findInterpreter } from '../../tasks/python/interpreter.ts';
import { Project } from '../rig/project.ts';
import { TOY_OPTIONS, toyHistory } from '../rig/toy-history.ts';

const found = await findInterpreter(null, { env: process.env });

describe.skipIf(!found.ok || !found.value.hasVenv)('swemake mine -j 1', { timeout: 600_000 }, () => {
  it('measures the others first', async () => {
    const project = new Project();
    toyHistory(project.folder, [{ name: 'a' }, { name: 'b' }, { name: 'c', spins: true }]);
    const files = ['-o', 'rows.jsonl', '--left-out', 'left.jsonl', '--json'];
    const ran = await project.run('mine', './toy', ...files, ...TOY_OPTIONS, '--count', '2', '-j', '1');
    expect(ran.code, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ wanted: 2, leftOut: { root: 1, timeout: 1 } });
    expect(readFileSync(project.path('rows.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2);
    expect(readFileSync(project.path('left.jsonl'), 'utf8')).toContain('a run of its tests took over 30 s');
  });
});
