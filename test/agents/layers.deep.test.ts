/** Agents as layers: installed by the real npm and uv, in real sandboxes, from registries on the loopback. */
import { randomBytes } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ActionRecord } from '../../schemas/record.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { type TestUpstream, testUpstream, wheel } from '../tasks/index/upstream.ts';
import { npmVariables, type TestRegistry, TOKEN, testRegistry } from '../tasks/npm/registry-rig.ts';

const BUILD = { timeout: 240_000 };

let npm: TestRegistry;
let pip: TestUpstream;
beforeEach(async () => {
  npm = await testRegistry();
  pip = await testUpstream();
  const helper = (version: string, day: string) => ({
    version,
    day,
    files: { 'index.js': `module.exports = '${version}';` },
  });
  npm.packages.set('swemake-helper', [helper('1.0.0', '2024-01-01'), helper('1.1.0', '2025-01-01')]);
  npm.packages.set('swemake-agent', [
    {
      version: '2.0.0',
      day: '2024-02-01',
      manifest: {
        bin: { 'swemake-agent': 'bin/agent.js' },
        dependencies: { 'swemake-helper': '^1.0.0' },
        scripts: { postinstall: 'echo made > made.txt' },
      },
      files: {
        'bin/agent.js':
          "#!/usr/bin/env node\nconsole.log(require('swemake-helper'), require('fs').readFileSync(__dirname + '/../made.txt', 'utf8'));\n",
      },
    },
  ]);
  pip.projects.set('swemake-program', [
    { ...wheel('swemake_program', '3.0'), uploaded: '2024-01-01T00:00:00Z' },
  ]);
});
afterEach(async () => {
  await npm.close();
  await pip.close();
});

interface Written {
  install: Record<string, unknown>;
  asOf?: string;
  build?: string;
}

function project({ install, build = 'proxy' }: Written) {
  const env = {
    ...npmVariables(npm),
    PATH: '/usr/local/bin:/usr/bin:/bin',
    PIP_EXTRA_INDEX_URL: pip.url,
    PIP_RETRIES: '1',
  };
  const made = tinyProject({ instances: 1, env, isCold: true });
  const program = { protocol: 'openai-chat', run: 'true', install };
  const text = readFileSync(made.path('p.yaml'), 'utf8').replace('build: proxy', `build: ${build}`);
  const agent = `agent: ${JSON.stringify({ type: 'command', program, model: { base_url: 'http://127.0.0.1:9/v1', name: 'm', identity: 'm@1', context: 1000 } })}\n`;
  writeFileSync(made.path('p.yaml'), text + agent);
  const ends = () =>
    made.events().filter(({ type, stage }) => type === 'item-finished' && String(stage).startsWith('agents'));
  return {
    made,
    build: (...more: string[]) => made.run('build', 'p.yaml', 'agents.train', ...more),
    outcome: () => ends().at(-1)!.outcome,
    /** Of its layer; @throws where there is none. */
    digest: () => (ends().at(-1)!.record as ActionRecord).outputs.layer!.digest,
    log: async () => (await made.run('logs', 'agents.train', '--project', 'p.yaml')).stdout,
  };
}

/** The Node of this machine, as a sandbox shows it. */
const NODE = process.execPath;
const AGENT = {
  npm: ['swemake-agent@2.0.0'],
  check: `test "$(${NODE} /opt/agent/node_modules/.bin/swemake-agent)" = "1.1.0 made"`,
};

test(
  'npm’s packages are installed with their scripts, once, and are the same bytes in another cache',
  BUILD,
  async () => {
    const first = project({ install: AGENT });
    expect((await first.build()).code).toBe(0);
    expect(first.outcome()).toEqual({ status: 'ok' });
    expect(npm.strangers).toBe(0);
    expect(npm.asked).toContain('swemake-helper/-/1.1.0.tgz');
    const asked = npm.asked.length;
    await first.build();
    expect(npm.asked).toHaveLength(asked);
    const second = project({ install: AGENT });
    await second.build();
    expect(second.digest()).toBe(first.digest());
    const everything = JSON.stringify([await first.log(), first.made.events()]);
    expect(everything).toContain('added 2 packages');
    expect(everything).not.toContain(TOKEN);
  },
);

test('with the host’s network npm gets no token either, and the layer is the same', BUILD, async () => {
  const [proxied, hosted] = [project({ install: AGENT }), project({ install: AGENT, build: 'host' })];
  await proxied.build();
  await hosted.build();
  expect(hosted.outcome()).toEqual({ status: 'ok' });
  expect(hosted.digest()).toBe(proxied.digest());
  expect(await hosted.log()).not.toContain(TOKEN);
});

/** A package with the name of a known agent: a program that says its version, and then does what `works` says. */
function known(works: string) {
  npm.packages.set('@anthropic-ai/claude-code', [
    {
      version: '9.9.9',
      day: '2024-01-01',
      manifest: { bin: { claude: 'claude.py' } },
      files: {
        'claude.py': `#!/usr/bin/python3\nimport json, os, sys, urllib.request\nif sys.argv[1:] == ['--version']: sys.exit()\n${works}\n`,
      },
    },
  ]);
  const one = project({ install: AGENT });
  const text = readFileSync(one.made.path('p.yaml'), 'utf8');
  const model = '{ base_url: "http://127.0.0.1:9/v1", name: m, identity: "m@1", context: 1000 }';
  const agent = `agent: { type: claude-code, version: "9.9.9", model: ${model} }\n`;
  writeFileSync(one.made.path('p.yaml'), text.replace(/^agent: .*\n/m, agent));
  return one;
}

const CALLS = `
body = json.dumps({'model': 'm', 'max_tokens': 9, 'messages': [{'role': 'user', 'content': sys.argv[-1]}]}).encode()
headers = {'authorization': 'Bearer ' + os.environ['ANTHROPIC_AUTH_TOKEN'], 'content-type': 'application/json'}
urllib.request.urlopen(urllib.request.Request(os.environ['ANTHROPIC_BASE_URL'] + '/v1/messages', body, headers))
import time; time.sleep(3600)
`;

test('an agent that is known by name must call its model once', BUILD, async () => {
  const working = known(CALLS);
  await working.build();
  expect(working.outcome()).toEqual({ status: 'ok' });
  const broken = known("sys.exit('No module named mcp')");
  await broken.build();
  expect(broken.outcome()).toEqual({
    status: 'failed',
    reason: 'agent-failed',
    detail: 'it makes no call of the model: No module named mcp',
  });
  expect(await broken.log()).toContain('a call of the model · exit code 1');
});

test('an agent that does not start is an answer, with what it said', BUILD, async () => {
  const { build, outcome } = project({ install: { ...AGENT, check: 'echo no glibc for me; exit 3' } });
  await build();
  expect(outcome()).toEqual({
    status: 'failed',
    reason: 'agent-failed',
    detail: 'it does not start: no glibc for me',
  });
});

test(
  'a registry that is down or lacks the version is a fault, and the next build tries again',
  BUILD,
  async () => {
    const { build, outcome } = project({ install: AGENT });
    npm.intercept = (_, response) => {
      response.writeHead(503).end();
      return true;
    };
    await build();
    expect(outcome()).toMatchObject({ status: 'infra', reason: 'network' });
    npm.intercept = null;
    const offered = npm.packages.get('swemake-agent')!;
    npm.packages.set('swemake-agent', []);
    await build();
    expect(outcome()).toMatchObject({ status: 'infra', reason: 'package-index' });
    expect(JSON.stringify(outcome())).toContain('swemake-agent');
    npm.packages.set('swemake-agent', offered);
    await build();
    expect(outcome()).toEqual({ status: 'ok' });
  },
);

test(
  'Python’s packages get an environment of their own, the same bytes in another cache',
  BUILD,
  async () => {
    const install = {
      pip: ['swemake-program==3.0'],
      check:
        '/opt/agent/venv/bin/python -c "import swemake_program; assert swemake_program.__version__ == \'3.0\'"',
    };
    const [first, second] = [project({ install }), project({ install })];
    await first.build();
    expect(first.outcome()).toEqual({ status: 'ok' });
    await second.build();
    expect(second.digest()).toBe(first.digest());
  },
);

test('plan knows its size before; verify and gc treat its layer like any other', BUILD, async () => {
  const { made, build, outcome } = project({ install: AGENT });
  const said = async (...args: string[]) => {
    const { stdout, stderr, code } = await made.run(...args);
    return { code, text: stdout + stderr };
  };
  expect((await said('plan', 'p.yaml', 'agents.train')).text).toMatch(
    /agents\.train@command-\w+: about .+ to install/,
  );
  expect(npm.asked.filter((path) => path.endsWith('.tgz'))).toEqual([]);
  await build();
  expect(outcome()).toEqual({ status: 'ok' });
  expect((await said('plan', 'p.yaml', 'agents.train')).text).not.toContain('to install');
  expect((await said('status', 'p.yaml')).text).toMatch(/agents\.train/);
  expect((await said('gc', 'p.yaml', '--dry-run')).text).not.toContain('layer');
  expect(await said('verify', 'p.yaml', '--rehash')).toMatchObject({ code: 0 });
  const [file] = readdirSync(made.path('.swemake'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('opt/agent/node_modules/swemake-agent/bin/agent.js'),
  );
  chmodSync(made.path(`.swemake/${file}`), 0o644);
  writeFileSync(made.path(`.swemake/${file}`), 'other');
  const damaged = await said('verify', 'p.yaml', '--rehash', '--repair');
  expect(damaged.code).not.toBe(0);
  expect(damaged.text).toContain('layer');
  await build();
  expect(outcome()).toEqual({ status: 'ok' });
  expect(await said('verify', 'p.yaml', '--rehash')).toMatchObject({ code: 0 });
  expect((await said('gc', 'p.yaml', '--max-size', '1B')).text).toMatch(/removed .*\b1 layer\b/);
});

/** Locks an agent, and empties the cache, as on another machine. */
async function locked(install: Record<string, unknown>) {
  const one = project({ install });
  expect(await one.made.run('lock', 'p.yaml')).toMatchObject({ code: 0 });
  const { agents } = JSON.parse(readFileSync(one.made.path('p.yaml.lock'), 'utf8'));
  const [[address, lock]] = Object.entries<Record<string, unknown>>(agents) as [
    [string, Record<string, unknown>],
  ];
  const digest = one.digest();
  rmSync(one.made.path('.swemake'), { recursive: true });
  return { ...one, address, lock, digest, now: one.digest };
}

/** Releases of the helper. */
const helpers = (...versions: string[]) =>
  versions.map((version) => ({
    version,
    day: '2025-02-01',
    files: { 'index.js': `module.exports = '${version}';` },
  }));

test('--frozen installs npm’s packages of the lock file again, whatever came since', BUILD, async () => {
  const { made, build, outcome, address, lock, digest, now } = await locked(AGENT);
  expect(address).toMatch(/^agents\.train@command-/);
  expect(lock).toMatchObject({ as_of: null, outcome: 'ok', install: { npm: AGENT.npm } });
  expect(lock.packages).toEqual([
    expect.stringMatching(/^swemake-agent@2\.0\.0 sha\d+-/),
    expect.stringMatching(/^swemake-helper@1\.1\.0 sha\d+-/),
  ]);
  npm.packages.set('swemake-helper', [...npm.packages.get('swemake-helper')!, ...helpers('1.2.0')]);
  expect(await build('--frozen')).toMatchObject({ code: 0 });
  expect(outcome()).toEqual({ status: 'ok' });
  expect(now()).toBe(digest);
  expect(npm.asked).not.toContain('swemake-helper/-/1.2.0.tgz');
  const text = readFileSync(made.path('p.yaml'), 'utf8');
  writeFileSync(made.path('p.yaml'), text.replace('swemake-agent@2.0.0', 'swemake-agent@2'));
  const refused = await build('--frozen');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(address);
});

test('--frozen runs nothing where the cache has others under the same key', BUILD, async () => {
  const { made, build, now, digest } = await locked({ ...AGENT, check: 'true' });
  const lock = readFileSync(made.path('p.yaml.lock'), 'utf8');
  rmSync(made.path('p.yaml.lock'));
  npm.packages.set('swemake-helper', [...npm.packages.get('swemake-helper')!, ...helpers('1.1.1')]);
  await build();
  expect(now()).not.toBe(digest);
  writeFileSync(made.path('p.yaml.lock'), lock);
  const refused = await build('--frozen');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(
    /E004 [\s\S]*- swemake-helper@1\.1\.0 [\s\S]*\+ swemake-helper@1\.1\.1 [\s\S]*swemake lock p\.yaml/,
  );
});

test('--frozen installs an agent’s own Node again', BUILD, async () => {
  const runtime = `node-linux-${process.arch}`;
  const files = { 'bin/node': '#!/bin/sh\nexec /opt/swemake/node/bin/node "$@"\n' };
  npm.packages.set(runtime, [{ version: '22.0.0', day: '2024-01-01', files }]);
  const { build, outcome, digest, now } = await locked({ ...AGENT, node: '22.0.0' });
  npm.packages.get(runtime)!.push({ version: '22.0.1', day: '2025-01-01', files });
  await build('--frozen');
  expect(outcome()).toEqual({ status: 'ok' });
  expect(now()).toBe(digest);
});

test(
  '--frozen fails where the registry lacks a locked package, or has another of its name',
  BUILD,
  async () => {
    const { build, outcome } = await locked(AGENT);
    npm.packages.set('swemake-helper', helpers('1.2.0'));
    const lacking = await build('--frozen');
    expect(outcome()).toMatchObject({ status: 'infra', reason: 'lock-drift' });
    expect(JSON.stringify(outcome())).toMatch(/now it cannot be: npm: .*swemake-helper@1\.1\.0/);
    expect(lacking.code).not.toBe(0);
    expect(lacking.stdout + lacking.stderr).toContain('swemake lock');
    const other = { ...helpers('1.1.0')[0]!, files: { 'index.js': "module.exports = '1.1.0'; // other" } };
    npm.packages.set('swemake-helper', [other]);
    await build('--frozen');
    expect(outcome()).toMatchObject({ status: 'infra', reason: 'lock-drift' });
    expect(JSON.stringify(outcome())).toContain(
      'now it cannot be: the registry has another swemake-helper@1.1.0',
    );
  },
);

test('--frozen installs Python’s packages of the lock file again', BUILD, async () => {
  const release = (version: string) => ({
    ...wheel('swemake_library', version),
    uploaded: '2024-01-01T00:00:00Z',
  });
  pip.projects.set('swemake-library', [release('1.0')]);
  const install = { pip: ['swemake-program', 'swemake-library'], check: 'true' };
  const { build, outcome, lock, digest, now } = await locked(install);
  expect(lock.packages).toEqual(
    expect.arrayContaining([expect.stringMatching(/^swemake_library==1\.0 sha256:/)]),
  );
  pip.projects.set('swemake-library', [release('1.0'), release('1.1')]);
  await build('--frozen');
  expect(outcome()).toEqual({ status: 'ok' });
  expect(now()).toBe(digest);
});

test('--frozen fails where the index lacks a locked package of Python, or has another', BUILD, async () => {
  const { build, outcome } = await locked({ pip: ['swemake-program'], check: 'true' });
  const offer = (name: string, ...rest: [string, string[]?]) =>
    pip.projects.set(name.replace('_', '-'), [{ ...wheel(name, ...rest), uploaded: '2024-01-01T00:00:00Z' }]);
  offer('swemake_program', '3.1');
  await build('--frozen');
  expect(outcome()).toMatchObject({ status: 'infra', reason: 'lock-drift' });
  expect(JSON.stringify(outcome())).toMatch(
    /now it cannot be: the package index lacks swemake-program==3\.0; .*swemake lock/,
  );
  offer('swemake_program', '3.0', ['swemake-library']);
  offer('swemake_library', '1.0');
  await build('--frozen');
  expect(outcome()).toMatchObject({ status: 'infra', reason: 'lock-drift' });
  expect(JSON.stringify(outcome())).toMatch(
    /not those of the lock file: \+ swemake_library==1\.0 .*; .*swemake lock/,
  );
});

test('on a platform that its packages are not for nothing is installed', BUILD, async () => {
  const { build, outcome, made } = project({ install: { ...AGENT, platforms: ['linux-s390x'] } });
  await build();
  const why = `its packages were tried on linux-s390x, and this machine is linux-${process.arch}`;
  expect(outcome()).toMatchObject({ status: 'config', reason: 'deployment' });
  expect(JSON.stringify(outcome())).toContain(why);
  expect((await made.run('doctor', 'p.yaml')).stdout).toContain(why);
  expect(npm.asked).toEqual([]);
});

test('an installation that meets the disk limit says which key has it', BUILD, async () => {
  const parts = Array.from({ length: 12 }, (_, index) => [
    `${index}.txt`,
    randomBytes(2_000_000).toString('base64'),
  ]);
  const big = { name: 'swemake-big', files: Object.fromEntries(parts) as Record<string, string> };
  npm.packages.set(big.name, [{ version: '1.0.0', day: '2024-01-01', files: big.files }]);
  const { made, build, outcome } = project({ install: { npm: [big.name] } });
  const text = readFileSync(made.path('p.yaml'), 'utf8');
  writeFileSync(
    made.path('p.yaml'),
    text.replace('    network:', '    limits: { disk: 15MiB }\n    network:'),
  );
  await build();
  expect(outcome()).toMatchObject({ status: 'failed', reason: 'agent-failed' });
  expect(JSON.stringify(outcome())).toContain('write more in limits.disk of its deployment');
});

test('without a network for builds nothing is installed, and the fault says the key', BUILD, async () => {
  const { build, outcome } = project({ install: AGENT, build: 'off' });
  await build();
  expect(outcome()).toMatchObject({ status: 'config', reason: 'deployment' });
  expect(JSON.stringify(outcome())).toContain('network.build: proxy');
});
