/** A program that speaks the Agent Client Protocol as the agent: in a sandbox without a network, over its stdin and stdout. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../rig/model-server.ts';
import type { Project } from '../../rig/project.ts';
import { outsideProject, solveByCalls, trajectoryOf } from './rig.ts';

describe('an agent of type acp', () => {
  let server: ModelServer;
  // One project for all, so that its task is validated once.
  let project: Project;
  beforeAll(async () => {
    server = await startModelServer(solveByCalls);
    project = outsideProject({ url: server.url, agentType: 'acp', args: ['acp', 'plain'] });
  });
  afterAll(() => server.stop());

  const rolled = async (how: string, target = 'rollouts') => {
    const text = readFileSync(project.path('p.yaml'), 'utf8');
    writeFileSync(project.path('p.yaml'), text.replace(/args: .*/, `args: [acp, ${how}]`));
    const end = await project.build('p.yaml', target);
    const log = (await project.run('logs', 'rollouts.train', '--project', 'p.yaml')).stdout;
    return { end, trajectory: await trajectoryOf(project), log };
  };

  test('gets its task as a prompt and every permission, and its patch is graded', async () => {
    const { end, trajectory, log } = await rolled('plain', 'grade');
    expect(end).toMatchObject({ code: 0, outcomes: { infra: 0, failed: 0 } });
    expect(trajectory).toMatchObject({ exit_status: 'submitted', agent: { type: 'acp' } });
    expect(trajectory!.calls).toHaveLength(3);
    expect(trajectory!.messages[0]!.content).toContain('m0 is wrong');
    expect(trajectory!.patch).toContain('+VALUE = 0');
    // Files are its own business: it is offered none of ours.
    expect(log).toContain("permission {'outcome': {'outcome': 'selected', 'optionId': 'yes'}} file -32601");
    expect(await project.build('p.yaml', 'grade')).toMatchObject({ code: 0, executed: 0 });
  });

  test.each(['quick', 'sign-in'])('that ends at once, or wants a sign-in, has submitted: %s', async (how) => {
    const { trajectory } = await rolled(how);
    expect(trajectory).toMatchObject({ exit_status: 'submitted', exit_detail: '' });
    expect(trajectory!.patch).toContain('+VALUE = 0');
  });

  test.each([
    ['refusal', 'gave_up', 'refusal'],
    ['error', 'crashed', 'I broke'],
    ['leaves', 'crashed', 'it ended without an answer, with exit code 0'],
    ['huge', 'crashed', 'it sent a message of more than 16777216 characters'],
    ['odd', 'crashed', 'it stopped for the reason "undefined"'],
  ])('that answers otherwise has a status for it, and its patch: %s', async (how, status, detail) => {
    const { trajectory, end } = await rolled(how);
    expect(end.outcomes.infra).toBe(0);
    expect(trajectory).toMatchObject({
      exit_status: status,
      exit_detail: expect.stringContaining(detail) as string,
    });
    expect(trajectory!.patch).toContain('+VALUE = 0');
  });

  test('of another version of the protocol is a fault before any call', async () => {
    const before = server.requests.length;
    const { end } = await rolled('newer');
    expect(end.outcomes.infra).toBe(1);
    expect(JSON.stringify(project.events())).toMatch(/agent-failed.*speaks version 2 of the protocol/);
    expect(server.requests).toHaveLength(before);
  });
});
