/** doctor's view of the sandbox: every need has an answer, and where something is missing, a remedy. */
import { describe, expect, it } from 'vitest';
import { probeSandbox } from '../../executors/sandbox/probe.ts';

describe('probeSandbox', () => {
  it('names each need with its state and a remedy where it is not met', async () => {
    const probes = await probeSandbox();
    const names = probes.map((probe) => probe.name);
    const needs = ['user namespace', 'net namespace', 'overlayfs', 'fresh /proc', 'seccomp filter'];
    for (const need of [...needs, 'memory limit', 'pids limit', 'disk limit']) expect(names).toContain(need);
    for (const probe of probes) {
      expect(['ok', 'soft', 'miss']).toContain(probe.status);
      expect(probe.detail).not.toBe('');
      if (probe.status !== 'ok') expect(probe.remedy).toBeTruthy();
    }
  });
});
