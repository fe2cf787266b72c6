/** An agent that no package index has: its source is a folder of its user. */
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionRecord } from '../../schemas/record.ts';
import { type ModelServer, startModelServer } from '../rig/model-server.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const BUILD = { timeout: 120_000 };

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(() => ({ text: 'VALUE = 0' }), {
    models: [{ id: 'policy', max_model_len: 4096 }],
  });
});
afterAll(() => server.stop());

/** Writes what its model says into a file whose name stands beside the program. */
const AGENT = `import json, os, pathlib, urllib.request
body = json.dumps({'model': os.environ['MODEL_NAME'], 'messages': [{'role': 'user', 'content': 'What is the value?'}]}).encode()
headers = {'authorization': 'Bearer ' + os.environ['MODEL_KEY'], 'content-type': 'application/json'}
asked = urllib.request.Request(os.environ['MODEL_URL'] + '/v1/chat/completions', body, headers)
said = json.load(urllib.request.urlopen(asked))['choices'][0]['message']['content']
name = pathlib.Path(__file__).with_name('names').joinpath('file.txt').read_text().strip()
pathlib.Path(name).write_text(said + '\\n')
`;

function project() {
  const made = tinyProject({ instances: 1 });
  mkdirSync(made.path('mine/.git'), { recursive: true });
  mkdirSync(made.path('mine/names'));
  writeFileSync(made.path('mine/agent.py'), AGENT);
  writeFileSync(made.path('mine/names/file.txt'), 'one.txt');
  writeFileSync(made.path('mine/.git/HEAD'), 'one');
  writeFileSync(
    made.path('p.yaml'),
    readFileSync(made.path('p.yaml'), 'utf8').replace('build: proxy', 'build: off'),
  );
  const program = {
    protocol: 'openai-chat',
    install: { source: './mine', check: 'cd /opt/agent/source && test -e agent.py && ! test -e .git' },
    run: 'exec python3 /opt/agent/source/agent.py',
  };
  const model = { base_url: server.url, name: 'policy', identity: 'policy@1', max_tokens: 100 };
  appendFileSync(made.path('p.yaml'), `agent: ${JSON.stringify({ type: 'command', program, model })}\n`);
  const record = () =>
    made
      .events()
      .filter(({ type, stage }) => type === 'item-finished' && stage === 'agents.train')
      .at(-1)!.record as ActionRecord;
  return { made, record, run: (...more: string[]) => made.build('p.yaml', 'rollouts', ...more) };
}

async function patchOf({ made }: ReturnType<typeof project>): Promise<string> {
  const viewed = await made.run('view', 'rollouts.train@*', '--project', 'p.yaml', '--json');
  return (JSON.parse(viewed.stdout) as { trajectory: { patch: string } }).trajectory.patch;
}

test('it is copied without its history, and only its content decides', BUILD, async () => {
  const one = project();
  expect(await one.run()).toMatchObject({ code: 0 });
  expect(await patchOf(one)).toContain('+++ b/one.txt');
  const layer = one.record().outputs.layer!.digest;
  const asked = server.requests.length;
  writeFileSync(one.made.path('mine/.git/HEAD'), 'two');
  expect(await one.run()).toMatchObject({ code: 0, executed: 0 });
  expect(server.requests).toHaveLength(asked);
  writeFileSync(one.made.path('mine/names/file.txt'), 'two.txt');
  expect(await one.run()).toMatchObject({ code: 0 });
  expect(await patchOf(one)).toContain('+++ b/two.txt');
  expect(one.record().outputs.layer!.digest).not.toBe(layer);
});

test(
  'the same content in another folder is the same agent, and a folder that is not there is told',
  BUILD,
  async () => {
    const { made, run } = project();
    expect(await run()).toMatchObject({ code: 0 });
    renameSync(made.path('mine'), made.path('elsewhere'));
    expect((await made.run('check', 'p.yaml')).stderr).toMatch(
      /p\.yaml:\d+:\d+ {2}W201 {2}"\.\/mine" does not exist/,
    );
    expect(await run()).toMatchObject({ code: 2 });
    writeFileSync(
      made.path('p.yaml'),
      readFileSync(made.path('p.yaml'), 'utf8').replace('./mine', './elsewhere'),
    );
    const { code, stages } = await run();
    expect(code).toBe(0);
    expect(stages.find(({ stage }) => stage === 'agents.train')).toMatchObject({ executed: 0 });
  },
);
