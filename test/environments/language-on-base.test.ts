/** An environment of another language than Python on images without Python: its toolchain comes before the image's programs, and each image has its own. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command, commandJson } from '../rig/command.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { writeLayout } from '../rig/oci-layout.ts';
import type { BuildResult } from '../rig/project.ts';
import { tarOf } from '../rig/tar.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { GIT_TOOLS, makeTinyRoot } from '../rig/tiny-root.ts';

const TOOLS = ['awk', 'dirname', 'sha256sum', 'tr', 'date'];

function program(path: string, says: string): void {
  writeFileSync(path, `#!/bin/bash\necho ${says}\n`);
  chmodSync(path, 0o755);
}

test('each image has an environment of its own, with the toolchain first', { timeout: 600_000 }, async () => {
  const folder = temporaryFolder();
  const toolchain = join(folder, 'rust-9.9');
  mkdirSync(join(toolchain, 'bin'), { recursive: true });
  program(join(toolchain, 'bin/rustc'), 'rustc 9.9.9');
  program(join(toolchain, 'bin/cargo'), 'cargo of the toolchain');
  makeTinyRoot(join(folder, 'root'), [...GIT_TOOLS, ...TOOLS]);
  program(join(folder, 'root/bin/cargo'), 'cargo of the image');
  const root = execFileSync('tar', ['-C', join(folder, 'root'), '-cf', '-', '.'], { maxBuffer: 1 << 30 });
  const project = tinyProject({
    instances: 1,
    isCold: true,
    recipe: [
      '      ecosystem: cargo',
      `      toolchain: { rust: ${toolchain} }`,
      '      packages: []',
      '      pre_install: ["cargo; cat /etc/image; echo $OWN"]',
      '',
    ].join('\n'),
  });
  const images = ['one', 'two'].map((name) => {
    const layers = [root, tarOf([{ name: 'etc/image', content: `image ${name}\n` }])];
    writeLayout(project.path(name), layers, { env: ['PATH=/usr/bin:/bin', `OWN=variable of ${name}`] });
    return name;
  });
  for (const name of images) {
    const base = ['--set', `deployments.box.base=image:./${name}`];
    const end = await commandJson<BuildResult>(project, 'build', 'p.yaml', 'environments', ...base);
    const { stdout } = await command(project, 'logs', 'environments*', '--project', 'p.yaml', ...base);
    expect(end.stages.at(-1), stdout).toMatchObject({ executed: 1, outcomes: { ok: 1 } });
    expect(stdout).toContain(`cargo of the toolchain\nimage ${name}\nvariable of ${name}\n`);
    const again = await commandJson<BuildResult>(project, 'build', 'p.yaml', 'environments', ...base);
    expect(again.executed).toBe(0);
  }
});
