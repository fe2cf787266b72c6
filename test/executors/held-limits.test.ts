/** The same limit ends the same tests in another way where another one holds it, so who holds it is in keys. */
import { expect, test } from 'vitest';
import { sandboxKind } from '../../executors/sandbox/kind.ts';
import { heldLimits } from '../../executors/sandbox/limits.ts';
import type { DeploymentConfig } from '../../schemas/generated/project.ts';

const GROUP = { version: 2, path: '/sys/fs/cgroup' } as const;
const LIMITS = { memory: 1 << 30, cpus: 1 };

test('a control group, or what is done without one', () => {
  expect(heldLimits(LIMITS, { memory: GROUP, cpu: GROUP })).toEqual({
    'memory held by': 'group',
    'cpus held by': 'group',
  });
  expect(heldLimits(LIMITS, {})).toEqual({ 'memory held by': 'process', 'cpus held by': 'nothing' });
});

test('a limit that nobody writes is in no key', () => {
  expect(heldLimits({ pids: 9 }, { memory: GROUP })).toEqual({});
});

test('it is part of what the sandbox runs on', () => {
  const deployment = { type: 'sandbox', limits: LIMITS } as unknown as DeploymentConfig;
  expect(sandboxKind.base(deployment)).toMatchObject(heldLimits(LIMITS));
});
