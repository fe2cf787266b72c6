/** Rehearsals of a tiny project with slime’s calling contract: a sound one, and each fault that would cost days of GPUs. */
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, test, vi } from 'vitest';
import type { RehearsalResult } from '../../app/rehearsal/rehearse.ts';
import { findsEach, planted, rehearsed, soundlyRehearsed, TIMEOUT } from './planted.ts';

test(
  'a sound project: each written token is trained once, and nothing contradicts it',
  async () => {
    const { tasks, measured, engine, options, replaced } = await soundlyRehearsed('slime');
    expect(tasks).toEqual({ of: 'project', ids: ['tiny.0', 'tiny.1'] });
    expect(measured!.written).toBeGreaterThan(1000);
    expect(new Set(measured!.rollouts.map(({ script }) => script))).toEqual(
      new Set(['solved', 'unsolved', 'overflow', 'format', 'overlong', 'slow', 'dropped']),
    );
    expect(engine.dropped).toBe(1);
    // No source of slime is here, so none of its options is called checked.
    expect(options).toMatchObject({ checked: 0, unchecked: expect.arrayContaining(['rollout-batch-size']) });
    expect(replaced.join('\n')).toContain('slime.rollout.sglang_rollout: a stand-in');
  },
  TIMEOUT,
);

findsEach('slime', [
  [
    'a judge that nothing asks',
    { rl: '    prm: { gpus: 1 } # no judge\n' },
    'prm',
    /judge of steps was never asked/,
  ],
  [
    'a function that cannot be imported',
    { generate: 'nowhere.generate' },
    'generate',
    /there is no module nowhere/,
  ],
  [
    'a filter that drops all',
    { overrides: { 'dynamic-sampling-filter-path': 'planted_hooks.keep_none' } },
    'overrides',
    /groups in a row were dropped/,
  ],
  [
    'a context limit that reaches nothing',
    { fault: 'unlimited' },
    'max_context',
    /prompts were longer than max_context/,
  ],
  [
    'masks that are shifted by one',
    { fault: 'shifted' },
    'generate',
    /positions are trained that the model did not write/,
  ],
  ['whole rollouts that are masked', { fault: 'masked' }, 'generate', /written tokens are trained, \d+%/],
  [
    'samples that are not made by call',
    { rl: '    dynamic_history: true\n' },
    'dynamic_history',
    /handed over with fewer samples than calls/,
  ],
  ['sequences that are dropped', { fault: 'dropped' }, 'generate', /written tokens are trained, \d+%/],
  [
    'ids that are tokenised again',
    { fault: 'retokenised' },
    'generate',
    /trained ids are not those that the model wrote/,
  ],
  [
    'a mask on what the model was shown',
    { fault: 'shown' },
    'generate',
    /positions are trained that the model did not write/,
  ],
  [
    'an evaluation set without rows',
    { overrides: { 'eval-interval': 1, 'eval-prompt-data': ['held', '/dev/null'] } },
    'overrides',
    /\/dev\/null has no rows/,
  ],
  [
    'a wrong image name',
    { fault: 'image' },
    'generate',
    /rollouts failed: .*image name for data source train/,
  ],
  [
    'rollouts that are given up without a word',
    { fault: 'silent' },
    'generate',
    /8 of 8 rollouts were given up, and the function does not say why/,
  ],
  [
    'GPUs that do not add up',
    { overrides: { 'rollout-num-gpus': 12 } },
    'overrides',
    /takes 16 GPUs .* and there are 8/,
  ],
  [
    'checkpoints in a folder of others',
    { overrides: { save: '/tmp/shared/ckpt' } },
    'overrides',
    /no folder of this training/,
  ],
]);

test(
  'settings that reach nobody: of the trainer, of its judge, of the agent, and variables of hooks',
  async () => {
    const { code, result } = await rehearsed({
      rl: '    prm: { gpus: 1, votes: 5 }\n    sequences: longest\n    max_prompt: 1234\n',
    });
    expect(code).toBe(1);
    const why = new Map(result!.unread.map((one) => [one.key, one.why]));
    expect(why.get('trainer.rl.prm.votes')).toBe(
      '--prm-m is passed on, and no function of the rollouts read it',
    );
    expect(why.get('trainer.rl.sequences')).toBe(
      'SWEMAKE_SEQUENCES is passed on, and no function of the rollouts read it',
    );
    expect(why.get('trainer.rl.max_prompt')).toMatch(/started in the same way/);
    expect(why.get('agent.limits.steps')).toMatch(/ask no agent server/);
    // What is read is no finding, and each finding has its place.
    expect([...why.keys()].filter((key) => key.startsWith('trainer')).sort()).toEqual([
      'trainer.rl.max_prompt',
      'trainer.rl.prm.votes',
      'trainer.rl.sequences',
    ]);
    expect(result!.diagnostics.map(({ text }) => text.trim().split(':')[0]).sort()).toEqual([
      'max_prompt',
      'prm',
      'sequences',
    ]);
  },
  TIMEOUT,
);

test(
  'Miles: a sound project, and a filter that drops all',
  async () => {
    const sound = await soundlyRehearsed('miles');
    expect(sound.replaced.join('\n')).toContain('miles.rollout.sglang_rollout: a stand-in');
    const overrides = { 'dynamic-sampling-filter-path': 'planted_hooks.keep_none' };
    const none = await rehearsed({ framework: 'miles', overrides });
    expect(none.code).toBe(1);
    expect(none.stderr).toMatch(/groups in a row were dropped/);
  },
  TIMEOUT,
);

test(
  'a job of a cluster that runs already gets what the job names, and finds its program',
  async () => {
    const { code, result, stderr } = await rehearsed({
      rl: '    ray_address: "http://127.0.0.1:8265"\n',
    });
    expect(code, stderr).toBe(0);
    expect(result!.command).toMatchObject({ cluster: 'elsewhere', found: true });
    expect(result!.command!.cwd).toContain('elsewhere');
  },
  TIMEOUT,
);

test(
  'a judge that is asked is counted, and is no fault',
  async () => {
    const { result, stderr } = await rehearsed({ rl: '    prm: { gpus: 1 }\n' });
    expect(result!.engine.judged).toBeGreaterThan(8);
    expect(stderr).not.toContain('judge of steps was never asked');
  },
  TIMEOUT,
);

test('what hinders a rehearsal is said with its place and a remedy', async () => {
  const project = await planted();
  const missing = await project.run('rehearse', 'p.yaml', '--tasks', 'project');
  expect(missing.code).toBe(3);
  expect(missing.stderr).toMatch(/p\.yaml:\d+:\d+ {2}E007 {2}slime is not installed: slime is not there/);
  expect(missing.stderr).toContain('--stand-ins');

  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await planted({ port });
  const taken = await project.run('rehearse', 'p.yaml', '--tasks', 'project', '--stand-ins');
  server.close();
  expect(taken.code).toBe(3);
  expect(taken.stderr).toContain(`the stand-in engine cannot listen: port ${port} is taken`);
  expect(taken.stderr).toMatch(/p\.yaml:\d+:\d+ {2}E007/);

  const refused = async (...sets: string[]) => {
    const words = sets.flatMap((one) => ['--set', one]);
    const end = await project.run('rehearse', 'p.yaml', '--tasks', 'project', '--stand-ins', ...words);
    expect([end.code, end.stdout], end.stderr).toEqual([3, '']);
    expect(end.stderr).not.toContain('    at ');
    return end.stderr;
  };
  expect(await refused('dataset.train.source=gone.jsonl')).toContain('dataset.train is not there');
  // No hub listens here.
  vi.stubEnv('HF_ENDPOINT', 'http://127.0.0.1:9');
  const unreachable = await refused('dataset.train.source=owner/rows', 'dataset.train.format=swe-bench');
  vi.unstubAllEnvs();
  expect(unreachable).toMatch(/E007 {2}dataset\.train is not there: .*127\.0\.0\.1:9/);
  expect(unreachable).toContain('check the dataset and the network, or rehearse with --tasks quickstart');
  expect(await refused('environments.recipes.0.install=["false"]')).toMatch(
    /E007 {2}no task of train passed validation: environments\.train@.*install\[0\]/,
  );

  const agents = createServer();
  await new Promise<void>((resolve) => agents.listen(0, '127.0.0.1', resolve));
  const at = (agents.address() as { port: number }).port;
  const served = await refused(`trainer.rl.env.SWEMAKE_AGENT_URL=http://127.0.0.1:${at}`);
  agents.close();
  expect(served).toMatch(/E007 {2}the agent server cannot start at 127\.0\.0\.1:\d+/);
  expect(served).toContain('end what uses the port, or name another one');

  const other = await project.run('rehearse', 'p.yaml', '--set', 'trainer.rl.command=true');
  expect(other.code).toBe(2);
}, 120_000);

test(
  'options are checked against the source of the framework where it is there',
  async () => {
    const project = await planted({ overrides: { 'rollout-seed': 'seven' } });
    const files = { 'slime/train_async.py': '', 'slime/utils/arguments.py': '' };
    const { mkdirSync } = await import('node:fs');
    mkdirSync(project.path('slime/slime/utils'), { recursive: true });
    writeFileSync(project.path('slime/train_async.py'), files['slime/train_async.py']);
    writeFileSync(
      project.path('slime/slime/utils/arguments.py'),
      [
        'import torch_that_is_not_there',
        'def add(parser):',
        '    parser.add_argument("--rollout-seed", type=int, default=42)',
        '    parser.add_argument("--rollout-batch-size", type=int)',
        '    parser.add_argument("--advantage-estimator", type=str, choices=["grpo", "gspo"])',
        '',
      ].join('\n'),
    );
    const end = await project.run('rehearse', 'p.yaml', '--tasks', 'project', '--json');
    rmSync(project.path('slime'), { recursive: true });
    const result = JSON.parse(end.stdout) as RehearsalResult;
    expect(result.options).toMatchObject({
      checked: 2,
      wrong: [{ option: 'rollout-seed', text: 'seven is no int' }],
    });
    expect(result.options!.unchecked).toContain('lr');
    expect(result.diagnostics.find(({ message }) => message.includes('seven is no int'))!.text).toContain(
      'overrides:',
    );
  },
  TIMEOUT,
);
