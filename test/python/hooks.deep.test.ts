/**
 * The Python package that trainers import, installed by pip and driven as slime, Miles, SkyRL, verl and TRL drive their hooks,
 * against two real agent servers of one project. The frameworks are stand-ins with their classes' shapes; HOOKS_PYTHON_VERL
 * and the like name an interpreter that has the real one (for verifiers, Harbor, NeMo-Gym and OpenEnv there is no other way), and
 * HOOKS_PATH where checkouts lie. ORIGINALS
 * names a folder with bare repositories of OpenClaw-RL and SkyRL, whose own functions then read what the hooks give them.
 */
import { type ChildProcess, execFile, execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { type ModelServer, type ServedRequest, startModelServer } from '../rig/model-server.ts';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const DRIVE = `${packageRoot()}/test/python/drive.py`;
const FRAMEWORKS = ['pieces', 'slime', 'miles', 'skyrl', 'verl', 'trl'];
/** These run rollouts themselves, for which nothing stands in. */
const CALLERS = ['openenv', 'nemo_gym', 'verifiers', 'harbor'];
for (const name of CALLERS.filter((name) => interpreterOf(name) === undefined))
  console.warn(
    `skipped: the hooks of ${name}, since HOOKS_PYTHON_${name.toUpperCase()} names no interpreter that has it`,
  );

function interpreterOf(framework: string): string | undefined {
  return process.env[`HOOKS_PYTHON_${framework.toUpperCase()}`];
}

/** What slime and Miles ask SGLang's router for: there is no engine to be told. */
const ENGINES = {
  '/workers': () => ({ body: { workers: [] } }),
  '/list_workers': () => ({ body: { urls: [] } }),
};

let project: Project;
let model: ModelServer;
let judge: ModelServer;
let servers: { process: ChildProcess; url: string }[] = [];

const noHttpx = install();

/** Why the package cannot be installed here; null: it is. */
function install(): string | null {
  project = tinyProject({ instances: 2, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
  cpSync(`${packageRoot()}/python`, project.path('module'), { recursive: true });
  try {
    execFileSync('python3', ['-m', 'venv', project.path('venv')]);
    execFileSync(project.path('venv/bin/pip'), ['install', '-q', project.path('module')], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return `swemake_rollouts could not be installed: ${String((error as { stderr?: Buffer }).stderr ?? error).trim()}`;
  }
}

if (noHttpx !== null) console.warn(`skipped: ${noHttpx}`);

beforeAll(async () => {
  if (noHttpx !== null) return;
  model = await startModelServer(fixing, { routes: ENGINES });
  judge = await startModelServer(({ body }) => ({
    text: body.model === 'prm' && body.max_tokens === 99 ? '\\boxed{1}' : '\\boxed{-1}',
  }));
  appendFileSync(
    project.path('p.yaml'),
    `agent:\n  limits: { steps: 4 }\n  model: { base_url: "${model.url}", name: m, identity: "m@1", retry: 5s }\n`,
  );
  servers = await Promise.all([serve(), serve()]);
});

afterAll(async () => {
  await Promise.all(servers.map(({ process }) => end(process)));
  if (noHttpx === null) await Promise.all([model.stop(), judge.stop()]);
});

/** Mends m0, then hands in; ids as vLLM gives them. The prompts of the model `cut` do not go on from one another. */
function fixing({ body }: ServedRequest) {
  const turn = body.messages.filter(({ role }) => role === 'assistant').length;
  const prompt =
    body.model === 'cut'
      ? [100 * (turn + 1), 100 * (turn + 1) + 1]
      : Array.from({ length: 3 + turn * 5 }, (_, index) => index + 1);
  const ids = [prompt.at(-1)! + 1, prompt.at(-1)! + 2];
  const command = turn === 0 ? "echo 'VALUE = 0' > m0.py" : 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT';
  return {
    text: `THOUGHT: go on\n\n\`\`\`mswea_bash_command\n${command}\n\`\`\``,
    tokens: { prompt, ids, logprobs: [-0.1, -0.2], server: 'vllm' as const },
  };
}

function serve(): Promise<{ process: ChildProcess; url: string }> {
  const child = project.start(['serve', 'agent', 'p.yaml', '--listen', '127.0.0.1:0']);
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (text: string) => {
      said += text;
      const [, address] = /agent server at (\S+)/.exec(said) ?? [];
      if (address !== undefined) resolve({ process: child, url: address });
    };
    child.stdout!.setEncoding('utf8').on('data', hear);
    child.stderr!.setEncoding('utf8').on('data', hear);
    child.once('close', () => reject(new Error(said)));
  });
}

function end(child: ChildProcess): Promise<unknown> {
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  return closed;
}

test
  .skipIf(noHttpx !== null)
  .each([...FRAMEWORKS, ...CALLERS.filter((name) => interpreterOf(name) !== undefined)])(
  'the hooks of %s',
  async (framework) => {
    const given = interpreterOf(framework);
    const urls = servers.map(({ url }) => url).join(',');
    const python = given ?? project.path('venv/bin/python');
    const before = model.requests.length;
    const path = `${project.path('module')}:${process.env.HOOKS_PATH ?? ''}`;
    // It ends badly where something is not as it should be.
    const { stdout } = await promisify(execFile)(python, [DRIVE, framework, urls, model.url, judge.url], {
      env: { ...process.env, ...(given === undefined ? {} : { PYTHONPATH: path }) },
    });
    const said = JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, unknown>;
    expect(said).toMatchObject({ framework });
    if (framework !== 'pieces' && framework !== 'trl') expect(said.stub).toBe(given === undefined);
    if (given !== undefined) console.log(JSON.stringify(said));
    const originals = process.env.ORIGINALS !== undefined;
    if (framework === 'slime') expect(said.openclaw).toBe(originals);
    if (framework === 'skyrl' && originals) expect(said.validated).toContain("step-wise, by SkyRL's source");
    // These callers are the model.
    if (!['openenv', 'verifiers'].includes(framework)) expect(model.requests.length).toBeGreaterThan(before);
  },
  // Importing torch on a busy machine takes minutes.
  600_000,
);

test.skipIf(noHttpx !== null)(
  'the trainer of twenty lines on the page trains on what the servers give',
  { timeout: 300_000 },
  async () => {
    const page = readFileSync(`${packageRoot()}/docs/trainer-hooks.md`, 'utf8');
    const text = /^```python\n([\s\S]*?)^```$/m.exec(page)![1]!;
    expect(text.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(20);
    writeFileSync(project.path('trainer.py'), text);
    const env = {
      ...process.env,
      ...{ SWEMAKE_AGENT_URL: servers.map(({ url }) => url).join(','), SWEMAKE_RUN: 'own' },
      ...{ SWEMAKE_MODEL_URL: model.url, SWEMAKE_MODEL_NAME: 'm' },
    };
    const run = () =>
      promisify(execFile)(project.path('venv/bin/python'), ['trainer.py', 'rows.jsonl'], {
        ...{ env, cwd: project.folder },
      });
    // Two instances of four samples, each of one sequence with two turns of two ids.
    const line = '8 sequences, 32 trained tokens\n';
    expect((await run()).stdout).toBe(line.repeat(2));
    // Started again it is given the rollouts that are there.
    const asked = model.requests.length;
    expect((await run()).stdout).toBe(line.repeat(2));
    expect(model.requests.length).toBe(asked);
  },
);
