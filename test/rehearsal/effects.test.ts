/** Settings without an effect, found without starting anything: none is in the projects that train. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unreadAgent } from '../../app/rehearsal/effects.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { loadProject } from '../../compiler/load.ts';
import { temporaryFolder } from '../rig/folder.ts';

test('an agent server reads each key of the agent, in each project that trains with one', async () => {
  const folder = join(packageRoot(), 'projects');
  const unread: Record<string, unknown> = {};
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const text = path.endsWith('.yaml') ? readFileSync(join(folder, path), 'utf8') : '';
    if (!/^name: /m.test(text)) continue;
    const loaded = await loadProject(join(folder, path), { cwd: folder, env: {} });
    if (!loaded.ok) throw new Error(`${path}: ${JSON.stringify(loaded.fault)}`);
    if (loaded.value.config.trainer?.rl?.env.SWEMAKE_AGENT_URL === undefined) continue;
    unread[path] = await unreadAgent(loaded.value, true);
  }
  expect(Object.keys(unread).length).toBeGreaterThanOrEqual(10);
  expect(Object.entries(unread).filter(([, keys]) => (keys as []).length > 0)).toEqual([]);
});

test('a model that plays the user has an effect', async () => {
  const path = join(temporaryFolder(), 'p.yaml');
  const model = 'model: { base_url: "http://127.0.0.1:9/v1", name: m, identity: "m@1" }';
  const lines = [
    ...['version: 1', 'name: t', 'dataset: { train: { source: rows.jsonl, format: custom } }'],
    `agent: { ${model}, user: { ${model}, prompt: p, turns: 2 } }\n`,
  ];
  writeFileSync(path, lines.join('\n'));
  const loaded = await loadProject(path, { cwd: packageRoot(), env: {} });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.fault));
  expect(await unreadAgent(loaded.value, true)).toEqual([]);
});
