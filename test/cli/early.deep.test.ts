/** What a build would fail for later is told before it runs anything, and by `doctor`: nothing here waits for a fault. */
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { memoryShortage } from '../../app/doctor/needs.ts';
import { endpointProbes, portProbes, secretProbes, toolchainProbes } from '../../app/doctor/surroundings.ts';
import type { Session } from '../../app/session.ts';
import { main } from '../../cli/main.ts';
import type { HostServices } from '../../contract/machine.ts';
import type { Project as ProjectConfig } from '../../schemas/generated/project.ts';
import { projectFolder, run } from '../compiler/project-folder.ts';
import { command } from '../rig/command.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** A port on which something listens. */
async function taken(server: Server = createServer((socket) => socket.end())): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** A port of `discard`, on which no program listens; one that the kernel gave may be another test's by now. */
const UNUSED = 9;

/** One on which nothing does. */
async function free(): Promise<number> {
  const port = await taken();
  await new Promise((resolve) => open.pop()!.close(resolve));
  return port;
}

const config = (value: object) => ({ config: value as unknown as ProjectConfig });

describe('what a project asks of its surroundings', () => {
  test('secrets are set, or are named with the key that needs them', () => {
    const project = {
      ...config({
        agent: { model: { api_key: 'Bearer ${secret:KEY}' } },
        trainer: { env: { T: '${secret:OTHER}' } },
      }),
      secrets: new Map([
        ['${secret:KEY}', 'KEY'],
        ['${secret:OTHER}', 'OTHER'],
      ]),
    };
    expect(secretProbes(project, { KEY: 'x', OTHER: 'y' })).toMatchObject([
      { name: 'secrets', status: 'ok', detail: 'KEY, OTHER set' },
    ]);
    expect(secretProbes(project, { KEY: '' })).toMatchObject([
      {
        name: 'secret KEY',
        status: 'miss',
        detail: 'the variable is not set, and agent.model.api_key needs it',
      },
      { name: 'secret OTHER', status: 'miss', remedy: 'export OTHER=…' },
    ]);
    // Of a build that only validates, none is needed; of one that rolls out, the agent's.
    expect(secretProbes(project, {}, new Set(['validate']))).toEqual([]);
    expect(secretProbes(project, {}, new Set(['rollouts']))).toMatchObject([{ name: 'secret KEY' }]);
  });

  test('endpoints accept connections, those of swemake itself and behind proxies left out', async () => {
    const [up, down] = [await taken(), UNUSED];
    const project = config({
      agent: { model: { base_url: `http://127.0.0.1:${down}/v1` } },
      evaluation: {
        models: {
          a: { base_url: `http://127.0.0.1:${up}/v1` },
          b: { base_url: `http://127.0.0.1:${down}/other`, serve: { command: 'x' } },
          c: { base_url: 'https://models.example/v1' },
        },
      },
    });
    expect(await endpointProbes(project, { https_proxy: 'http://127.0.0.1:1' })).toMatchObject([
      { status: 'soft', detail: expect.stringMatching(/nothing listens there; agent\.model\.base_url/) },
      { status: 'ok' },
    ]);
  });

  test('ports for its own servers are free', async () => {
    const [used, unused] = [await taken(), await free()];
    const project = config({
      agent: { model: { serve: { port: used } } },
      evaluation: { models: { a: { serve: { port: unused } } } },
    });
    expect(await portProbes(project)).toMatchObject([
      {
        name: `port ${used}`,
        status: 'miss',
        detail: expect.stringContaining('agent.model.serve.port needs it'),
      },
      { name: `port ${unused}`, status: 'ok' },
    ]);
  });

  test('memory is enough for as many workspaces as the user wants at once', () => {
    const project = {
      deployments: { box: { type: 'sandbox', limits: { memory: totalmem() * 0.6 } } },
      ...{ dataset: {}, validation: { deployment: 'box' }, resources: { cpu: 2, sandbox: 4 } },
    };
    const session = { project: config(project) } as unknown as Session;
    expect(memoryShortage(session, null)).toMatchObject({
      detail: expect.stringContaining('2 workspaces at a time'),
      remedy: 'if tasks really use that much: build -j 1',
    });
    expect(memoryShortage(session, 1)).toBeNull();
  });

  test('toolchains are in the cache or in their registry', async () => {
    const proxy = createHttp((request, response) => {
      response.writeHead(request.url?.includes('go1.99.0') ? 404 : 200).end();
    });
    const port = await taken(proxy);
    const services = {
      env: { GOPROXY: `http://127.0.0.1:${port}` },
      cache: {
        database: { memos: new Map([[`toolchain go 1.20.1 linux ${process.arch}`, 'x']]) },
        layers: { open: async () => '/layers/x' },
      },
    } as unknown as HostServices;
    const wanted = (version: string) => ({ ecosystem: 'go', name: 'go', version, environments: 2 });
    expect(await toolchainProbes(['1.20.1', '1.22.0', '1.99.0'].map(wanted), services)).toMatchObject([
      { name: 'go 1.20.1', status: 'ok', detail: 'in the cache; asked for by 2 environments' },
      { name: 'go 1.22.0', status: 'ok', detail: 'in its registry; asked for by 2 environments' },
      {
        name: 'go 1.99.0',
        status: 'miss',
        detail: expect.stringContaining('404'),
        remedy: expect.stringContaining('toolchain.go'),
      },
    ]);
  });
});

describe('is told', () => {
  test('by a build before its first action, with the remedy, and by doctor', async () => {
    const url = `http://127.0.0.1:${UNUSED}/v1`;
    const rest = {
      instances: 1,
      type: 'auto' as const,
      model: 'api_key: "${secret:EARLY_KEY}"',
    };
    const project = rolloutProject({ url, ...rest });
    const { stderr } = await command(project, 'build', 'p.yaml', 'dataset', 'rollouts');
    const lines = stderr.split('\n');
    const told = lines.findIndex((line) =>
      line.startsWith('warning: secret EARLY_KEY: the variable is not set'),
    );
    expect(lines.slice(told, told + 4)).toEqual([
      'warning: secret EARLY_KEY: the variable is not set, and agent.model.api_key needs it',
      '         export EARLY_KEY=…',
      `warning: endpoint ${url}: nothing listens there; agent.model.base_url names it, and rollouts wait for it`,
      '         start its server, or write another address',
    ]);
    expect(
      lines.slice(0, told).filter((line) => /^(environments|validate|rollouts)\.train/.test(line)),
    ).toEqual([]);
    const doctor = await command(project, 'doctor', 'p.yaml');
    expect(doctor.code).toBe(3);
    expect(doctor.stdout).toContain('miss  secret EARLY_KEY: the variable is not set');
    expect(doctor.stdout).toContain(`soft  endpoint ${url}: nothing listens there`);
    // What needs neither of them says nothing of them.
    const validated = await command(project, 'build', 'p.yaml', 'validate');
    expect(validated.stderr).not.toContain('EARLY_KEY');
  }, 300_000);

  test('a port in use, with code and remedy, and is no bug', async () => {
    const port = await taken();
    const project = rolloutProject({ url: 'http://127.0.0.1:9/v1', instances: 1, type: 'auto' });
    const ui = await command(project, 'ui', 'p.yaml', '--port', `${port}`);
    expect([ui.code, ui.stderr]).toEqual([
      3,
      expect.stringMatching(/^E003 .*another program listens there.*\n +write another --port/),
    ]);
    const server = await command(project, 'serve', 'pool', '--listen', `127.0.0.1:${port}`);
    expect([server.code, server.stderr]).toEqual([
      3,
      expect.stringMatching(
        /^E003 [\s\S]*another program listens there: end it, or write another --listen\n/,
      ),
    ]);
  });

  test('a file that is not there ends plan, build and check with 2', async () => {
    const project = rolloutProject({ url: 'http://127.0.0.1:9/v1', instances: 1, type: 'auto' });
    for (const name of ['plan', 'build', 'check', 'doctor']) {
      const end = await command(project, name, 'missing.yaml');
      expect([name, end.code, `${end.stdout}${end.stderr}`]).toEqual([
        name,
        2,
        expect.stringContaining('the file does not exist'),
      ]);
    }
  });
});

test('rows that are damaged in the cache are made again by the build that cannot look ahead for them', async () => {
  const project = tinyProject({ instances: 1 });
  expect((await command(project, 'build', 'p.yaml', 'dataset')).code).toBe(0);
  const blobs = readdirSync(project.path('.swemake/blobs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const block = blobs.find((path) => readFileSync(path, 'utf8').includes('"problem_statement"'))!;
  const { size, mode } = statSync(block);
  chmodSync(block, 0o600);
  writeFileSync(block, Buffer.alloc(size, '-'));
  chmodSync(block, mode);

  const end = await command(project, 'build', 'p.yaml', 'environments');
  expect(end.stderr).toContain('warning: warnings about this build may be missing: a block of rows');
  expect(end, end.stderr).toMatchObject({ code: 0 });
});

describe('a misspelt key at the top', () => {
  const errors = async (text: string) => {
    const folder = projectFolder({ 'p.yaml': text, 'rows.jsonl': '{}\n' });
    const end = await run(main, ['check', 'p.yaml'], folder);
    return `${end.stdout}${end.stderr}`.match(/^p\.yaml:\S+ {2}E\d+ .*$/gm) ?? [];
  };

  test.each([
    ['datset', 'datset: { train: { source: rows.jsonl, format: mutation } }\n', 'dataset'],
    [
      'deployment',
      'dataset: { train: { source: rows.jsonl, format: mutation } }\ndeployment: { own: { type: sandbox } }\nvalidation: { deployment: own }\n',
      'deployments',
    ],
  ])('%s is one error', async (key, rest) => {
    expect(await errors(`version: 1\nname: p\n${rest}`)).toEqual([
      expect.stringContaining(`unknown key "${key}"`),
    ]);
  });

  test('what it holds is checked all the same', async () => {
    const found = await errors(
      'version: 1\nname: p\ndatset: { train: { source: rows.jsonl, format: mutashun } }\n',
    );
    expect(found).toHaveLength(2);
    expect(found[1]).toContain('mutashun');
  });
});
