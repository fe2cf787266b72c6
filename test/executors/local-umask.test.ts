/** The mask of the shell that swemake was called from decides no modes of files, and so no tests that look at them. */
import { expect, test } from 'vitest';
import { createLocal } from '../../executors/local/local.ts';
import { temporaryFolder } from '../rig/folder.ts';

test.each([0o077, 0o022])(
  'plain processes make files with the usual modes below the mask %i',
  async (mask) => {
    const deployment = await createLocal({ name: 'here', stateFolder: temporaryFolder(), runId: 'r' });
    const view = { layers: [], mounts: [], links: {}, variables: {} };
    const before = process.umask(mask);
    try {
      const opened = await deployment.open(view, null, { limits: {}, network: 'host', storage: 'disk' });
      if (!opened.ok) throw new Error(opened.fault.detail);
      const done = await opened.value.exec('touch new; stat -c %a new', { timeout: 20 });
      expect(done).toMatchObject({ ok: true, value: { output: '644\n' } });
    } finally {
      process.umask(before);
      await deployment.close();
    }
  },
);
