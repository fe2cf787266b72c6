/**
 * The unmodified client and evaluation script of OpenClaw-RL's swe-rl, from a folder that the variable SWE_RL names, against
 * a pool whose node opens sandboxes and one whose node opens containers of a real engine. SWE_RL_PYTHON has what they import
 * (`pip install httpx litellm loguru pyyaml jinja2`). As root.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Listening } from '../../servers/http/listen.ts';
import { noEngine } from '../executors/docker-fixture.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { type ModelServer, type ServedRequest, startModelServer } from '../rig/model-server.ts';
import { makeDebianImage } from './debian-image.ts';
import { ask, EVAL_SCRIPT, IMAGE, makeImage, startTestNode, startTestPool } from './rig.ts';

const { SWE_RL = '', SWE_RL_PYTHON = 'python3' } = process.env;
const client = join(SWE_RL, 'swe-rl');
const hasOriginal = SWE_RL !== '' && existsSync(join(client, 'swe_env_client.py'));
if (!hasOriginal) console.log('skipped: the original client: SWE_RL names no folder of OpenClaw-RL');

const LONG = 600_000;
const folder = temporaryFolder();
const run = promisify(execFile);
let model: ModelServer;

beforeAll(async () => {
  if (!hasOriginal) return;
  makeImage(folder);
  model = await startModelServer(({ body }: ServedRequest) => {
    const turn = body.messages.filter(({ role }) => role === 'assistant').length;
    // One of the two tasks is not solved.
    const isWrong = body.messages.some(({ content }) => content?.includes('leave it') === true);
    const mend = isWrong ? 'echo wrong > code.txt' : 'sed -i s/broken/fixed/ code.txt && rm doomed.txt';
    const submit = 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A && git diff --cached';
    return { text: `THOUGHT: go on\n\n\`\`\`bash\n${['ls -la', mend, submit][Math.min(turn, 2)]}\n\`\`\`` };
  });
}, LONG);
afterAll(async () => model?.stop());

/** Each method of the original's client; what it got is printed. */
const EPISODE = `
import asyncio, json, sys
import httpx
from slime.utils import http_utils
from swe_env_client import SweEnvClient

async def main(url, image, script):
    http_utils._http_client = httpx.AsyncClient(timeout=300)
    client = SweEnvClient(url)
    lease = (await client.allocate(image, 'tiny__tiny-1'))['lease_id']
    await client.heartbeat(lease)
    seen = await client.exec(lease, 'cat code.txt; exit 3')
    await client.exec(lease, 'sed -i s/broken/fixed/ code.txt')
    await client.heartbeat(lease)
    patch = await client.diff(lease)
    await client.close(lease)
    second = (await client.allocate(image, 'tiny__tiny-1__eval'))['lease_id']
    good = await client.evaluate(second, patch, script)
    bad = await client.evaluate(second, '', script)
    await client.close(second)
    print(json.dumps({'seen': [seen['returncode'], seen['output']], 'patch': patch,
                      'resolved': [good['resolved'], bad['resolved']]}))

asyncio.run(main(*sys.argv[1:]))
`;

const env = {
  ...process.env,
  PYTHONPATH: [client, join(SWE_RL, 'slime')].join(':'),
  // Prices of models are not looked up.
  LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  OPENAI_API_KEY: 'none',
};

const TOKEN = 'f'.repeat(64);
const layouts = { sandbox: () => join(folder, 'layout'), docker: () => makeDebianImage(folder) };

describe.skipIf(!hasOriginal).each([
  { backend: 'sandbox', why: null, token: TOKEN },
  { backend: 'sandbox', why: null, token: null },
  { backend: 'docker', why: noEngine, token: TOKEN },
] as const)(
  'the original against a node that opens its containers with $backend, with the token $token',
  (given) => {
    const { backend, why, token } = given;
    const layout = layouts[backend];
    const name = `${backend}-${token === null ? 'open' : 'closed'}`;
    let node: Listening;
    let pool: Listening;
    /** The original knows addresses alone. */
    let address: string;

    beforeAll(async () => {
      if (why !== null) return;
      const own = token === null ? {} : { token };
      node = await startTestNode(join(folder, `${name}-node`), layout(), { backend, ...own });
      pool = await startTestPool(join(folder, `${name}-pool`), [node.url], {
        ...{ token, nodeToken: token },
        ...{ maxLeases: 8, ttl: 600_000, longestWait: 240_000, createTimeout: 120, lookEvery: 500 },
      });
      address = token === null ? pool.url : pool.url.replace('//', `//x:${token}@`);
    }, LONG);
    afterAll(async () => {
      await pool?.close();
      await node?.close();
    }, LONG);

    test.skipIf(why !== null)(
      'its client has a whole episode',
      async () => {
        const args = ['-c', EPISODE, address, IMAGE, EVAL_SCRIPT];
        const { stdout } = await run(SWE_RL_PYTHON, args, { env });
        const said = JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, unknown>;
        console.log(`${name}: ${JSON.stringify({ seen: said.seen, resolved: said.resolved })}`);
        expect(said).toMatchObject({ seen: [3, 'broken\n'], resolved: [true, false] });
        expect(said.patch).toContain('+fixed');
      },
      LONG,
    );

    test.skipIf(why !== null)(
      'its evaluation script grades patches of an agent',
      async () => {
        const rows = ['mend it', 'leave it'].map((problem_statement, index) => ({
          ...{ instance_id: `tiny__tiny-${index + 1}`, problem_statement },
          ...{ image_name: IMAGE, eval_script: EVAL_SCRIPT },
        }));
        const out = join(folder, `${name}-out`);
        mkdirSync(out);
        const data = join(out, 'rows.jsonl');
        writeFileSync(data, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
        const args = [
          ...[join(client, 'eval/eval_swe.py'), '--data', data, '--model', 'openai/scripted'],
          ...['--api-base', model.url, '--output-dir', join(out, 'runs'), '--env-server-url', address],
        ];
        await run(SWE_RL_PYTHON, args, { env, maxBuffer: 1 << 26 });
        const summary = JSON.parse(readFileSync(join(out, 'runs/summary.json'), 'utf8')) as object;
        console.log(`${name}: ${JSON.stringify({ ...summary, args: undefined })}`);
        expect(summary).toMatchObject({ total: 2, resolved: 1, errors: 0, no_patch: 0 });
        const results = readFileSync(join(out, 'runs/results.jsonl'), 'utf8').trim().split('\n');
        expect(results.map((line) => JSON.parse(line) as object)).toMatchObject([
          { instance_id: 'tiny__tiny-1', resolved: true, patch_source: 'submission', n_steps: 3 },
          { instance_id: 'tiny__tiny-2', resolved: false, patch_source: 'submission' },
        ]);
        expect(readdirSync(join(out, 'runs'))).toHaveLength(4);
        const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
        expect((await ask(node.url, '/status', undefined, headers)).body.active_containers).toBe(0);
      },
      LONG,
    );
  },
);
