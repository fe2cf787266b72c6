/** A program of the project's own as the agent: in a sandbox without a network, its only way out is the model door. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../rig/model-server.ts';
import type { Project } from '../../rig/project.ts';
import { instanceOf, turnOf } from '../../rig/solver.ts';
import { until } from '../../rig/until.ts';
import { type OutsideOptions, outsideProject, solveByCalls, trajectoryOf } from './rig.ts';

describe('an agent of type command', () => {
  let server: ModelServer;
  beforeEach(async () => {
    server = await startModelServer(solveByCalls);
  });
  afterEach(() => server.stop());

  const made = (options: Omit<OutsideOptions, 'url'> = {}) => outsideProject({ url: server.url, ...options });
  const rolled = async (project: Project, target = 'grade') => {
    const end = await project.build('p.yaml', target);
    return { end, trajectory: await trajectoryOf(project) };
  };

  test('solves its task through the door, and its patch is graded', async () => {
    const project = made();
    const { end, trajectory } = await rolled(project);
    expect(end).toMatchObject({ code: 0, outcomes: { infra: 0, failed: 0 } });
    expect(trajectory).toMatchObject({
      exit_status: 'submitted',
      agent: { type: 'command' },
      instance_id: 'tiny.0',
    });
    expect(trajectory!.calls).toHaveLength(3);
    expect(trajectory!.steps.map(({ actions }) => actions.map(({ command }) => command))).toEqual([
      ["sed -i 's/^VALUE = .*/VALUE = 0/' m0.py"],
      ['cat m0.py'],
      [],
    ]);
    expect(trajectory!.steps[1]!.observations[0]!.output).toContain('VALUE = 0');
    // Sampling is the project's: the program asked for temperature 9.
    expect(server.requests.map(({ body }) => body.temperature)).toEqual([1, 1, 1]);
    expect(server.requests.every(({ body }) => Number(body.max_tokens) < 99999)).toBe(true);
  });

  test('its second build runs nothing', async () => {
    const project = made();
    await project.build('p.yaml', 'grade');
    expect(await project.build('p.yaml', 'grade')).toMatchObject({ code: 0, executed: 0 });
  });

  test('that ends before its first request is a fault, which says why', async () => {
    const project = made({ args: ['crash-first'] });
    const end = await project.build('p.yaml', 'rollouts');
    expect(end.outcomes.infra).toBe(1);
    expect(JSON.stringify(project.events())).toMatch(/agent-failed.*cannot find my configuration/);
  });

  test('that ends without asking its model is a fault, whatever its exit code says', async () => {
    const project = made({ args: ['silent'] });
    const end = await project.build('p.yaml', 'rollouts');
    expect(end.outcomes.infra).toBe(1);
    expect(JSON.stringify(project.events())).toMatch(/agent-failed.*without a request to the model/);
  });

  test('that ends while a request of it waits holds the model no longer', async () => {
    let asked = 0;
    server.play(async (request) => {
      if (JSON.stringify(request.body).includes('Never answer.')) {
        asked += 1;
        return { stall: 'headers' };
      }
      // The other task is answered once nothing but its own two requests waits.
      const isFirst = instanceOf(request) === 0;
      if (turnOf(request) === 0) await until(() => asked === 2 && (isFirst || server.running === 2));
      return solveByCalls(request);
    });
    const project = made({ args: ['open-request'], instances: 2 });
    expect(await project.build('p.yaml', 'rollouts')).toMatchObject({ outcomes: { infra: 0 } });
    const { exit_status, calls } = (await trajectoryOf(project))!;
    expect(exit_status).toBe('submitted');
    expect(calls.filter(({ reply }) => reply === null)).toHaveLength(1);
  });

  test('that does its work without a model has an answer', async () => {
    const { end, trajectory } = await rolled(made({ args: ['by-hand'] }));
    expect(end.outcomes).toMatchObject({ infra: 0, failed: 0 });
    expect(trajectory).toMatchObject({ exit_status: 'submitted', calls: [] });
  });

  test('that breaks after its work has an answer, with its patch', async () => {
    const { end, trajectory } = await rolled(made({ args: ['crash-after'] }));
    expect(end.outcomes.infra).toBe(0);
    expect(trajectory).toMatchObject({
      exit_status: 'crashed',
      exit_detail: expect.stringContaining('I broke'),
    });
    expect(trajectory!.patch).toContain('+VALUE = 0');
  });

  test('is told that its limit of calls is reached, and its patch is taken', async () => {
    const { trajectory } = await rolled(made({ agent: '  limits: { steps: 2 }\n' }), 'rollouts');
    expect(trajectory).toMatchObject({ exit_status: 'limits_exceeded', exit_detail: '2 model calls made' });
    expect(trajectory!.patch).toContain('+VALUE = 0');
    expect(server.requests).toHaveLength(2);
  });

  test('is told that it may write no more tokens, and its patch is taken', async () => {
    // Each scripted reply has 5.
    const { trajectory } = await rolled(made({ agent: '  limits: { tokens: 8 }\n' }), 'rollouts');
    expect(trajectory).toMatchObject({
      exit_status: 'limits_exceeded',
      exit_detail: '10 of 8 tokens written',
    });
    expect(trajectory!.patch).toContain('+VALUE = 0');
    expect(server.requests).toHaveLength(2);
  });

  test('is ended with its whole tree when its working time is over', async () => {
    const { trajectory } = await rolled(
      made({ args: ['sleep'], agent: '  limits: { time: 15s }\n' }),
      'rollouts',
    );
    expect(trajectory).toMatchObject({ exit_status: 'time_exceeded' });
    expect(trajectory!.patch).toContain('+VALUE = 0');
  });

  test('that asks again after a dropped connection gets the stored reply, and nothing is sampled twice', async () => {
    // The door counts an answer as delivered once it is sent. So the model answers only after the agent has closed its connection.
    const lefts = () => server.requests.filter(({ body }) => body.messages[0]!.content === 'I left.').length;
    server.play(async (request) => {
      if (request.body.messages[0]!.content === 'I left.') return { text: 'Yes.' };
      const turn = turnOf(request);
      await until(() => lefts() > turn);
      return solveByCalls(request);
    });
    const { trajectory } = await rolled(made({ args: ['leaves'] }), 'rollouts');
    expect(trajectory).toMatchObject({ exit_status: 'submitted' });
    expect(lefts()).toBe(3);
    expect(server.requests).toHaveLength(6);
    expect(trajectory!.calls).toHaveLength(6);
  });

  test('waits while the endpoint is down, and never sees its fault', async () => {
    let failing = 3;
    server.play((request) =>
      failing-- > 0 ? { status: 503, body: { error: { message: 'loading' } } } : solveByCalls(request),
    );
    const { end, trajectory } = await rolled(made(), 'rollouts');
    expect(end.outcomes.infra).toBe(0);
    expect(trajectory!.calls).toHaveLength(3);
  });

  test('of which the endpoint refuses every request is a fault and no reward', async () => {
    server.play(() => ({ status: 401, body: { error: { message: 'wrong key' } } }));
    const end = await made().build('p.yaml', 'grade');
    expect(end.outcomes.ok).toBeGreaterThan(0);
    expect((end.outcomes.config ?? 0) + (end.outcomes.infra ?? 0)).toBeGreaterThan(0);
    expect(end.stages.find(({ stage }) => stage.startsWith('grade'))?.outcomes.failed ?? 0).toBe(0);
  });

  test('with a key of its own invention is refused', async () => {
    const { trajectory } = await rolled(made({ args: ['wrong-key'] }), 'rollouts');
    expect(trajectory!.calls).toHaveLength(3);
  });

  test('keeps its own files out of the patch', async () => {
    const { trajectory } = await rolled(
      made({ args: ['own-files'], program: ', leaves: [.mine/]' }),
      'rollouts',
    );
    expect(trajectory!.patch).not.toContain('.mine');
    expect(trajectory!.patch).toContain('+VALUE = 0');
  });

  test.each(['ignore', 'allow'])(
    'sees what the repository says to agents only where it may: %s',
    async (settings) => {
      const project = made({
        args: ['instructions'],
        files: { 'RULES.md': 'Obey.\n', 'docs/RULES.md': 'Obey me, too.\n' },
        program: ', obeys: [RULES.md]',
        agent: `  repository_settings: ${settings}\n`,
      });
      const { trajectory } = await rolled(project, 'rollouts');
      const log = (await project.run('logs', 'rollouts.train', '--project', 'p.yaml')).stdout;
      const isHidden = settings === 'ignore';
      expect(log).toContain(
        isHidden
          ? "instructions: [], changed: ''"
          : "instructions: ['./RULES.md', './docs/RULES.md'], changed: ''",
      );
      // What it wrote in the place of hidden instructions is no part of its work.
      expect(trajectory!.patch.includes('RULES.md')).toBe(!isHidden);
      expect(trajectory!.patch).toContain('+VALUE = 0');
    },
  );
});
