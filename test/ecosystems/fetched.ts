/** The steps that fetch packages, run with real package managers before a registry of the test. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Registry } from '../../contract/build-index.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import { stepsOf } from '../../ecosystems/steps.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { clientHome } from '../tasks/index/door.ts';

/** Runs the steps of dependencies as a build does, with its folders below a home; `patch`: what a task changes of the manifests. */
export async function fetched(
  ecosystem: string,
  registry: Registry,
  files: Record<string, string>,
  patch: string | null,
  variables: Record<string, string> = {},
  toolchain: Record<string, string> = {},
) {
  const { build, recipe } = ecosystemNamed(ecosystem);
  const client = clientHome(registry, files);
  const places: Record<string, string> = {
    '/testbed': client.project,
    '/opt/env': join(client.home, 'env'),
    '/tmp/': `${client.home}/tmp-`,
  };
  const local = (text: string) => text.replaceAll(/\/testbed|\/opt\/env|\/tmp\//g, (place) => places[place]!);
  if (patch !== null) writeFileSync(local('/tmp/swemake-manifests.diff'), patch);
  mkdirSync(join(client.home, 'env'));
  const whole = {
    ...{ ...recipe, pre_install: [], install: [], packages: Object.keys(files), toolchain },
    ...(patch === null ? {} : { after_patch: 'abc' }),
  } as unknown as BuildRecipe;
  const steps = stepsOf(build!, whole).filter(({ phase }) => phase === 'dependencies');
  if (patch !== null) expect(steps.at(-1)!.name).toBe('install_after_patch');
  const own = Object.entries({ ...build!.variables(toolchain), ...build!.stepVariables }).filter(
    ([name]) => name !== 'PATH',
  );
  const set = Object.fromEntries(own.map(([name, value]) => [name, local(value)]));
  // What an index is reached by comes after the ecosystem's own variables.
  const all = { ...set, ...registry.variables, ...variables };
  for (const { command } of steps) {
    const ran = await client.run('bash', ['-c', `${registry.prelude}\n${local(command)}`], all);
    expect(ran.code, ran.output).toBe(0);
    expect(ran.output).not.toContain('do not fit');
  }
  return { ...client, place: local, set };
}
