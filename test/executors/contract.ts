/**
 * What executors/deployment.ts promises, as tests that every workspace backend passes. A backend's own test
 * file calls `describeDeploymentContract` with a factory; whatever only one backend promises stays there.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  Deployment,
  EnvironmentView,
  ExecOptions,
  ExecResult,
  OpenOptions,
  SourceView,
  Workspace,
} from '../../executors/deployment.ts';
import { isFault } from '../../schemas/outcome.ts';
import { describeDiffContract } from './contract-diff.ts';
import { describeExecContract, describeOutputContract } from './contract-exec.ts';
import { describeFilesContract } from './contract-files.ts';
import { describeNoReach, describeReachContract } from './contract-reach.ts';
import { type Fixture, makeFixture } from './fixture.ts';

export interface Made {
  deployment: Deployment;
  cleanup: () => Promise<void>;
}

/** What a group of contract tests works with; valid inside tests only. */
export interface Subject {
  fixture(): Fixture;
  deployment(): Deployment;
  /** Opens a workspace, hands it to `body`, and closes it whatever happens. */
  use<T>(body: (workspace: Workspace) => Promise<T>, change?: OpenChange): Promise<T>;
}

export interface OpenChange {
  environment?: Partial<EnvironmentView>;
  source?: SourceView | null;
  options?: Partial<OpenOptions>;
}

/** Runs the whole suite against the deployment that `make` gives. `reaches`: as the kind says. */
export function describeDeploymentContract(
  name: string,
  make: (fixture: Fixture) => Promise<Made>,
  reaches = true,
): void {
  describe(`${name} keeps the deployment contract`, () => {
    let made: Made;
    let fixture: Fixture;

    beforeAll(async () => {
      fixture = await makeFixture();
      made = await make(fixture);
    });
    afterAll(async () => {
      await made?.cleanup();
      await fixture?.remove();
    });

    const subject: Subject = {
      fixture: () => fixture,
      deployment: () => made.deployment,
      use: async (body, change) => {
        const workspace = await openWorkspace(made.deployment, fixture, change);
        try {
          return await body(workspace);
        } finally {
          await workspace.close();
        }
      },
    };

    describeExecContract(subject);
    describeFilesContract(subject);
    describeDiffContract(subject);
    describeLifeContract(subject);
    if (reaches) describeReachContract(subject);
    else describeNoReach(subject);
    // What answers by requests alone has neither.
    if (reaches) describeOutputContract(subject);
  });
}

async function openWorkspace(deployment: Deployment, fixture: Fixture, change: OpenChange = {}) {
  const opened = await deployment.open(
    { ...fixture.environment, ...change.environment },
    change.source === undefined ? fixture.source : change.source,
    { limits: {}, network: 'off', storage: 'memory', ...change.options },
  );
  if (!opened.ok) throw new Error(`open: ${opened.fault.reason}: ${opened.fault.detail}`);
  return opened.value;
}

/** Runs a command that must not end in a fault. */
export async function run(
  workspace: Workspace,
  command: string,
  options: Partial<ExecOptions> = {},
): Promise<ExecResult> {
  const result = await workspace.exec(command, { timeout: 30, ...options });
  if (!result.ok) throw new Error(`exec: ${result.fault.reason}: ${result.fault.detail}`);
  return result.value;
}

function describeLifeContract({ use, deployment, fixture }: Subject): void {
  describe('life of a workspace', () => {
    it('says what is weak about it', () => {
      expect(Array.isArray(deployment().warnings())).toBe(true);
    });

    it('opens without a source', async () => {
      const result = await use((workspace) => run(workspace, 'pwd', { cwd: '/' }), { source: null });
      expect(result).toMatchObject({ exitCode: 0, stdout: '/\n' });
    });

    it('closes twice, and refuses commands afterwards', async () => {
      const workspace = await openWorkspace(deployment(), fixture());
      await workspace.close();
      await workspace.close();
      // Some say that it was closed, some that it is gone: an end without an answer either way.
      const lost = { ok: false, fault: { status: expect.stringMatching(/^(infra|stopped)$/) } };
      expect(await workspace.exec('true', { timeout: 10 })).toMatchObject(lost);
      expect(await workspace.endProcesses()).toMatchObject(lost);
      expect(await workspace.read('/testbed/README.md')).toMatchObject(lost);
      expect(await workspace.write('/testbed/README.md', 'x')).toMatchObject(lost);
      expect(await workspace.diff()).toMatchObject(lost);
    });

    it('is lost, and no file missing from it, when it is closed while it is read', async () => {
      const workspace = await openWorkspace(deployment(), fixture(), { options: { storage: 'disk' } });
      const reads = Array.from({ length: 20 }, () => workspace.read('/testbed/README.md'));
      const [diff, changes] = [workspace.diff(), workspace.changes()];
      await workspace.close();
      for (const read of await Promise.all(reads))
        expect(read.ok ? read.value !== null : isFault(read.fault)).toBe(true);
      expect([true, 'infra', 'stopped']).toContain(await diff.then((end) => end.ok || end.fault.status));
      expect([true, 'infra', 'stopped']).toContain(await changes.then((end) => end.ok || end.fault.status));
    });

    it('ends a running command on close', async () => {
      const workspace = await openWorkspace(deployment(), fixture());
      const running = workspace.exec('sleep 300', { timeout: 300 });
      await run(workspace, 'true');
      await workspace.close();
      const result = await running;
      expect(result.ok && result.value.exitCode === 0).toBe(false);
    });

    it('does not open when it is cancelled already', async () => {
      const options: OpenOptions = {
        limits: {},
        network: 'off',
        storage: 'memory',
        signal: AbortSignal.abort(),
      };
      const opened = await deployment().open(fixture().environment, fixture().source, options);
      expect(opened).toMatchObject({ ok: false, fault: { status: 'stopped', reason: 'cancelled' } });
    });

    it('gives distinct workspaces that do not see each other', async () => {
      await use(async (first) => {
        await use(async (second) => {
          expect(first.id).not.toBe(second.id);
          await run(
            first,
            'echo one > /testbed/mine; echo one > /opt/env/mine; echo one > "${TMPDIR:-/tmp}/mine"',
          );
          const look = 'cat /testbed/mine /opt/env/mine "${TMPDIR:-/tmp}/mine" 2>/dev/null';
          expect((await run(second, look)).stdout).toBe('');
          expect((await run(first, look)).stdout).toBe('one\none\none\n');
        });
      });
    });

    it('opens many at once', async () => {
      const numbers = Array.from({ length: 24 }, (_, i) => i);
      const answers = await Promise.all(
        numbers.map((number) =>
          use(async (workspace) => {
            await run(workspace, `echo ${number} > /testbed/number`);
            return (await run(workspace, 'cat /testbed/number')).stdout;
          }),
        ),
      );
      expect(answers).toEqual(numbers.map((number) => `${number}\n`));
    });
  });
}
