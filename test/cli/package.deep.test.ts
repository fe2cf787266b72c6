/**
 * The package as users get it, without the clone: packed, installed below a prefix and run through npx, in a mount namespace
 * in which the clone and its modules are empty folders. It builds a project there, so whatever it needs is in the package.
 */
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const isRoot = process.getuid?.() === 0;

function run(words: string[], cwd: string): string {
  const ran = spawnSync(words[0]!, words.slice(1), { cwd, encoding: 'utf8', timeout: 280_000 });
  const said = `${ran.stdout}${ran.stderr}`;
  expect(ran.status, said).toBe(0);
  return said;
}

test.skipIf(!isRoot)(
  'the packed tarball installs, checks and builds where there is no clone (needs root, for a mount namespace)',
  { timeout: 300_000 },
  () => {
    const folder = temporaryFolder();
    const project = tinyProject({ folder: join(folder, 'mine'), instances: 1, isCold: true });
    run(['npm', 'pack', '--ignore-scripts', '--silent', '--pack-destination', folder], packageRoot());
    const modules = realpathSync(join(packageRoot(), 'node_modules'));
    const script = `set -e
      mount -t tmpfs none '${modules}'; mount -t tmpfs none '${packageRoot()}'
      test ! -e '${packageRoot()}/package.json'
      tarball=$(ls ${folder}/*.tgz)
      export npm_config_cache=\${npm_config_cache:-${folder}/npm} npm_config_prefer_offline=true
      npm install --silent --no-audit --no-fund --global --prefix ${folder}/prefix "$tarball"
      export PATH="${folder}/prefix/bin:$PATH" XDG_CACHE_HOME='${folder}/cache'
      command -v swemake
      swemake init quick.yaml --template quickstart; swemake check quick.yaml
      swemake build p.yaml validate
      test -f ${folder}/prefix/lib/node_modules/swemake/dist/ui/page.js
      echo "compiled: $(find ${folder}/prefix -path '*/build/Release*' -name '*.node' | wc -l)"
      echo "megabytes: $(du -sm ${folder}/prefix | cut -f1)"
      npx --yes --package="$tarball" swemake -V`;
    const said = run(['unshare', '--mount', 'bash', '-c', script], project.folder);
    expect(said).toContain(`${folder}/prefix/bin/swemake`);
    expect(said).toContain('compiled: 0\n');
    expect(Number(/^megabytes: (\d+)$/m.exec(said)![1])).toBeLessThan(120);
    expect(said).toContain('no errors in 1 file');
    expect(said).toMatch(/made \d+ targets .* isolation: /);
    expect(said).toMatch(/^swemake \d+\.\d+\.\d+ \(build [0-9a-f]{12}\)$/m);
  },
);
