/**
 * Each agent that swemake knows by name: installed from its registry, and at work in a sandbox without a network, where a model answers
 * from a script. What it sends and writes is looked at. It takes minutes, and hundreds of megabytes each.
 * SWE_AGENT_SOURCE: a folder with the source of SWE-agent; without it that is not tried.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { NamedProgram } from '../../agent/kinds/outside/kind.ts';
import { compileTemplate } from '../../agent/templates.ts';
import { shellWord } from '../../basics/shell.ts';
import { PROGRAMS } from '../../schemas/generated/agents.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { sourceOf } from './sources.ts';

const URL = 'http://127.0.0.1:8123';
const KEY = 'sk-of-the-test';
const VALUES: Record<string, string> = {
  url: URL,
  key: KEY,
  model: 'policy',
  context: '131072',
  max_tokens: '4096',
};
const MODEL = readFileSync(new globalThis.URL('scripted_model.py', import.meta.url));

/** Faults of registries and machines: nothing is said of the agent then. */
const OUTSIDE = ['infra', 'config'];

async function rendered(text: string, tools: readonly string[]): Promise<string> {
  const template = await compileTemplate('test', text);
  const made = template.ok ? template.value.render({ ...VALUES, tools }) : template;
  if (!made.ok) throw new Error(made.fault);
  return made.value;
}

function file(path: string, bytes: Buffer | string): string {
  const text = Buffer.from(bytes).toString('base64');
  return `mkdir -p "$(dirname ${path})" && echo ${text} | base64 -d > ${path}`;
}

/** Lets the program work on a task, beside the model, and ends with 0 if it did what it was told. `tools`: those that it may use; absent: all. */
async function trial({ program }: NamedProgram, tools: readonly string[] = []): Promise<string> {
  const { files = {}, env = {}, run } = program;
  const variables: Record<string, string> = {
    ...{
      MODEL_URL: URL,
      MODEL_KEY: KEY,
      MODEL_NAME: 'policy',
      MODEL_CONTEXT: '131072',
      MODEL_MAX_TOKENS: '4096',
    },
    ...{ TASK_FILE: '/tmp/task.md', HOME: '/tmp/home', AGENT_TOOLS: tools.join(',') },
  };
  for (const [name, text] of Object.entries(env)) variables[name] = await rendered(text, tools);
  const written: string[] = [];
  for (const [path, text] of Object.entries(files))
    written.push(file(`$HOME/${path}`, await rendered(text, tools)));
  return [
    ...Object.entries(variables).map(([name, text]) => `export ${name}=${shellWord(text)}`),
    file('/tmp/model.py', MODEL),
    file('/tmp/task.md', 'Create a file made.txt that says made.'),
    ...written,
    'mkdir -p /tmp/repo && cd /tmp/repo && git init -q .',
    'python3 /tmp/model.py 8123 /tmp/requests.jsonl & model=$!',
    'until (exec 3<>/dev/tcp/127.0.0.1/8123) 2> /dev/null; do kill -0 $model || exit 9; done',
    `bash -c ${shellWord(run)} agent > /tmp/said.txt 2>&1 < /dev/null; code=$?`,
    'kill $model; tail -c 2000 /tmp/said.txt; echo',
    'sed "s/^/request /" /tmp/requests.jsonl',
    'echo "ended with $code and left: $(git status --short | tr "\\n" ";")"',
    '[ $code = 0 ] && [ "$(cat made.txt)" = made ]',
  ].join('\n');
}

/** Programs that can be told their tools, with the one that the task needs. */
const SHELLS: Record<string, string> = {
  'claude-code': 'Bash',
  'gemini-cli': 'run_shell_command',
  opencode: 'bash',
  'qwen-code': 'run_shell_command',
};

const TRIED = PROGRAMS.flatMap((named) => {
  const shell = SHELLS[named.name];
  return [{ named, tools: [] }, ...(shell === undefined ? [] : [{ named, tools: [shell] }])];
});

for (const { named, tools } of TRIED) {
  const whole = tools.length === 0 ? '' : `, with ${tools.join(', ')} alone`;
  test(`${named.name} works without a network, and asks the model that it is told${whole}`, {
    timeout: 3_600_000,
  }, async (context) => {
    const { install } = named.program;
    const source = sourceOf(named.name);
    if (named.source !== undefined && source === undefined)
      return context.skip(`no folder with the source of ${named.name} is named`);
    const own = source === undefined ? {} : { source };
    const program = { ...named.program, install: { ...install, ...own, check: await trial(named, tools) } };
    const made = tinyProject({ instances: 1, isCold: true });
    const agent = { type: 'command', program: withVersion(program, named.version), model: MODEL_KEYS };
    const text = readFileSync(made.path('p.yaml'), 'utf8');
    writeFileSync(made.path('p.yaml'), `${text}agent: ${JSON.stringify(agent)}\n`);
    await made.run('build', 'p.yaml', 'agents.train');
    const ends = made
      .events()
      .filter(({ type, stage }) => type === 'item-finished' && stage === 'agents.train');
    const outcome = ends.at(-1)!.outcome as { status: string; detail?: string };
    if (OUTSIDE.includes(outcome.status)) return context.skip(`not looked at: ${outcome.detail}`);
    expect(outcome).toEqual({ status: 'ok' });
    const log = (await made.run('logs', 'agents.train', '--project', 'p.yaml')).stdout;
    const requests = [...log.matchAll(/^request (.*)$/gm)].map(([, line]) => JSON.parse(line!) as Asked);
    expect(requests.length).toBeGreaterThanOrEqual(2);
    for (const { key, model } of requests) {
      expect(key).toContain(KEY);
      expect(model).toContain('policy');
    }
    if (tools.length > 0) expect(requests[0]!.tools).toEqual(tools);
    expect(log).toMatch(/ended with 0 and left: \?\? made\.txt;$/m);
    console.log(
      `${named.name}${whole}: ${requests.length} requests of ${requests.map(({ bytes }) => bytes).join(', ')} bytes`,
    );
  });
}

interface Asked {
  key: string;
  model: string;
  bytes: number;
  tools: string[];
}

const MODEL_KEYS = { base_url: 'http://127.0.0.1:9/v1', name: 'policy', identity: 'policy@1', context: 1000 };

function withVersion(program: NamedProgram['program'], version: string): unknown {
  return JSON.parse(JSON.stringify(program).replaceAll('{{version}}', version));
}
