/** The machine's own index, as it was on a day: what a real package brought along then. Left out where none is in reach. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startIndex } from '../../../tasks/index/server.ts';
import { findInterpreter } from '../../../tasks/python/interpreter.ts';
import { buildSettings } from '../../../tasks/python/settings.ts';
import { uvFolder } from '../../../tasks/python/tools.ts';
import { packageIndex } from '../../../tasks/source/package-index.ts';

test('pylint 2.14.4 on 2022-07-01 brings what there was', { timeout: 300_000 }, async ({ skip }) => {
  const python = await findInterpreter('3.10', { env: process.env });
  if (!python.ok) return skip(python.fault.detail);
  const folder = mkdtempSync(join(tmpdir(), 'swemake-pypi-'));
  const index = startIndex({ env: process.env, store: join(folder, 'store') });
  try {
    const tools = await uvFolder(python.value, { toolsFolder: folder, index: packageIndex(process.env) });
    if (!tools.ok) return skip(tools.fault.detail);
    const urls = index.urls(await index.listen(), '2022-07-01');
    const { variables } = buildSettings({ HOME: folder, PIP_CONFIG_FILE: '/dev/null' }, 'host', urls);
    const args = ['pip', 'install', '--python', python.value.executable, '--target', join(folder, 'into')];
    const env = { ...variables, PATH: '/usr/bin:/bin', HOME: folder };
    const output = await new Promise<string>((done) =>
      execFile(join(tools.value, 'uv'), [...args, 'pylint==2.14.4'], { env }, (_, out, err) =>
        done(out + err),
      ),
    );
    const got = readdirSync(join(folder, 'into')).filter((name) => name.endsWith('.dist-info'));
    expect(got, output).toEqual(
      expect.arrayContaining(
        ['tomlkit-0.11.0', 'astroid-2.11.6', 'pylint-2.14.4'].map((one) => `${one}.dist-info`),
      ),
    );
  } finally {
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
