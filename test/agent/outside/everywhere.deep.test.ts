/** Where else than in rollouts a program of the project's own is the agent: predictions, evaluations, and rollouts for trainers. */
import { appendFileSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askAgent, endAgentServer, startAgentServer } from '../../rig/agent-server.ts';
import { type ModelServer, type ServedRequest, startModelServer } from '../../rig/model-server.ts';
import type { Project } from '../../rig/project.ts';
import { turnOf } from '../../rig/solver.ts';
import { outsideProject, solveByCalls } from './rig.ts';

const BUILD = { timeout: 300_000 };

let server: ModelServer;
let project: Project;
beforeAll(async () => {
  server = await startModelServer(solveByCalls);
  project = outsideProject({ url: server.url, instances: 2 });
  appendFileSync(
    project.path('p.yaml'),
    `evaluation: { dataset: train, models: { tuned: { base_url: "${server.url}", name: tuned, identity: "tuned@1" } } }\n`,
  );
});
afterAll(() => server.stop());

test('it predicts, and its predictions are evaluated', BUILD, async () => {
  expect(await project.build('p.yaml', 'evaluate')).toMatchObject({
    code: 0,
    outcomes: { infra: 0, failed: 0 },
  });
  const out = (name: string) => readFileSync(project.path(`out/tiny/evaluate.train/tuned/${name}`), 'utf8');
  expect(JSON.parse(out('report.json'))).toMatchObject({ resolved_ids: ['tiny.0', 'tiny.1'] });
  expect(out('preds.json')).toContain('+VALUE = 1');
  expect(new Set(server.requests.map(({ body }) => body.model))).toEqual(new Set(['tuned']));
  const asked = server.requests.length;
  expect(await project.build('p.yaml', 'evaluate')).toMatchObject({ code: 0, executed: 0 });
  expect(server.requests).toHaveLength(asked);
});

/** With ids as vLLM gives them; each prompt begins with the one before and its reply. */
function withIds(request: ServedRequest) {
  const prompt = Array.from({ length: 3 + turnOf(request) * 5 }, (_, index) => index + 1);
  const ids = [prompt.length + 1, prompt.length + 2];
  return {
    ...solveByCalls(request),
    tokens: { prompt, ids, logprobs: [-0.1, -0.2], server: 'vllm' as const },
  };
}

test('a trainer gets its rollouts from the agent server, as one sequence of ids', BUILD, async () => {
  server.play(withIds);
  const agents = await startAgentServer(project, '--max-concurrent', '2');
  try {
    const answer = await askAgent(agents, '/run', {
      ...{ base_url: server.url, model: 'openai/weights-7', instance_id: 'tiny.1', id: 'first', step: 1 },
      sampling_params: { temperature: 0.5 },
    });
    expect(answer).toMatchObject({
      ok: true,
      status: 'ok',
      exit_status: 'Submitted',
      reward: 1,
      error: null,
    });
    expect(answer.patch).toContain('+VALUE = 1');
    // The trainer's model and temperature, whatever the program asks for.
    expect(server.requests.at(-1)!.body).toMatchObject({ model: 'weights-7', temperature: 0.5 });
    expect(answer.sequences).toMatchObject([
      {
        agent: 'main',
        trained_calls: [0, 1, 2],
        token_ids: Array.from({ length: 15 }, (_, index) => index + 1),
        loss_mask: [0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1],
      },
    ]);
  } finally {
    await endAgentServer(agents, 'SIGTERM');
  }
});
