/** A finished stage is looked at again when other code builds its environments by other steps. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cargoEcosystem } from '../../ecosystems/cargo/kind.ts';
import { commandJson } from '../rig/command.ts';
import { temporaryFolder } from '../rig/folder.ts';
import type { BuildResult } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

test('environments are built anew by other steps, and by equal ones they are not', async () => {
  const toolchain = join(temporaryFolder(), 'rust-9.9');
  mkdirSync(join(toolchain, 'bin'), { recursive: true });
  writeFileSync(join(toolchain, 'bin/rustc'), '#!/bin/bash\necho rustc 9.9.9\n');
  chmodSync(join(toolchain, 'bin/rustc'), 0o755);
  const project = tinyProject({
    instances: 1,
    isCold: true,
    recipe: `      ecosystem: cargo\n      toolchain: { rust: ${toolchain} }\n      packages: []\n`,
  });
  const executed = async () => {
    const end = await commandJson<BuildResult>(project, 'build', 'p.yaml', 'environments');
    return end.stages.at(-1)?.executed ?? 0;
  };
  expect(await executed()).toBe(1);
  expect(await executed()).toBe(0);
  const build = cargoEcosystem.build!;
  const { steps } = build;
  try {
    build.steps = (recipe) => [...steps(recipe), { name: 'more', phase: 'installation', command: 'true' }];
    expect(await executed()).toBe(1);
    expect(await executed()).toBe(0);
  } finally {
    build.steps = steps;
  }
});
