/**
 * Each agent that swemake knows by name, and one over ACP, solves tasks through the model door, and its patches are graded: installed from its registry, in
 * a sandbox without a network, with a model that answers from a script. It takes minutes, and hundreds of megabytes each.
 */
import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROGRAMS } from '../../schemas/generated/agents.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { ScriptedReply } from '../rig/model-reply.ts';
import { type ModelServer, type ServedRequest, startModelServer } from '../rig/model-server.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const INSTANCES = 3;
/** Names of the tools that run a command. */
const SHELLS = /^(bash|shell|exec_command|shell_command|run_shell_command|terminal|execute_bash)$/i;
/** Faults of registries and machines: nothing is said of the agent then. */
const OUTSIDE = ['package-index', 'network'];

interface Tool {
  function: { name: string; parameters: { properties?: Record<string, Property>; required?: string[] } };
}
interface Property {
  type?: string;
  enum?: string[];
}

/** Mends the module that the task names by the agent's own shell, and then hands in as the agent wants it. */
function solve({ body }: ServedRequest): ScriptedReply {
  const tools = (body.tools ?? []) as Tool[];
  const shell = tools.find((tool) => SHELLS.test(tool.function.name));
  if (shell === undefined) return { text: 'Mend a module' };
  const text = body.messages.map(({ content }) => content ?? '').join('\n');
  const number = /\bm(\d+) is wrong/.exec(text)?.[1];
  // Qwen Code takes no change by sed of a file that it has not read.
  const mend = `python3 -c "open('m${number}.py', 'w').write('VALUE = ${number}\\n')"`;
  const turn = body.messages.filter(({ tool_calls: calls }) => (calls ?? []).length > 0).length;
  if (turn === 0) return call(shell, mend, turn);
  if (turn === 1 && text.includes(SUBMIT)) return call(shell, `echo ${SUBMIT}`, turn);
  const finish = tools.find((tool) => tool.function.name === 'finish');
  if (finish !== undefined) return call(finish, 'It is mended.', turn);
  return { text: 'It is mended.' };
}

const SUBMIT = 'COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT';

function call({ function: { name, parameters } }: Tool, said: string, turn: number): ScriptedReply {
  const { properties = {}, required = [] } = parameters;
  const given = Object.entries(properties).flatMap(([key, property]) => {
    if (/^(command|cmd|message)$/.test(key))
      return [[key, property.type === 'array' ? ['bash', '-lc', said] : said]];
    return required.includes(key) ? [[key, anyOf(property)]] : [];
  });
  const argumentsText = JSON.stringify(Object.fromEntries(given));
  return { text: null, tools: [{ name, arguments: argumentsText, id: `call_${turn}` }] };
}

function anyOf({ type, enum: names }: Property): unknown {
  if (names !== undefined) return names[0];
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return 1;
  return type === 'array' ? [] : 'mend the module';
}

/** `agent`: its keys as flow YAML, without its model. */
interface Tried {
  title: string;
  agent: string;
}

const named = (name: string) => PROGRAMS.find((program) => program.name === name)!;

/** opencode, spoken to by the Agent Client Protocol instead of started with its task. */
function overAcp(): string {
  const { program, version } = named('opencode');
  const run = 'exec /opt/agent/node_modules/.bin/opencode acp';
  const text = JSON.stringify({ ...program, run }).replaceAll('{{version}}', version);
  return `type: acp, program: ${text}`;
}

const TRIED: Tried[] = [
  ...PROGRAMS.map(({ name }) => ({ title: name, agent: `type: ${name}` })),
  { title: 'opencode over acp', agent: overAcp() },
];

describe('an agent from elsewhere', () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer(solve, { models: [{ id: 'policy', max_model_len: 131_072 }] });
  });
  afterAll(() => server.stop());

  test.each(TRIED)('$title', { timeout: 3_600_000 }, async ({ title, agent }) => {
    const project = tinyProject({ instances: INSTANCES });
    const model = `{ base_url: "${server.url}", name: policy, identity: "policy@1", max_tokens: 4096 }`;
    appendFileSync(project.path('p.yaml'), `agent: { ${agent}, model: ${model} }\n`);
    const end = await project.build('p.yaml', 'grade');
    const faults = project
      .events()
      .filter((one) => one.type === 'item-finished' && /"status":"infra"/.test(JSON.stringify(one.outcome)));
    const away = faults.find(({ outcome }) => OUTSIDE.includes((outcome as { reason: string }).reason));
    if (away !== undefined) return console.log(`skip: ${title}: ${JSON.stringify(away.outcome)}`);
    expect({ faults, code: end.code, failed: end.outcomes.failed }).toEqual({
      faults: [],
      code: 0,
      failed: 0,
    });
    const viewed = await project.run('view', 'rollouts.train@*', '--project', 'p.yaml', '--json');
    const made = viewed.stdout.trim().split('\n');
    expect(made).toHaveLength(INSTANCES);
    for (const line of made) {
      const { trajectory } = JSON.parse(line) as { trajectory: Trajectory };
      expect(trajectory.exit_status).toBe('submitted');
      expect(trajectory.patch).toContain('+VALUE = ');
      expect(trajectory.calls.filter(({ agent }) => agent === 'main').length).toBeGreaterThanOrEqual(2);
      // Nothing but the module is in the patch.
      expect(trajectory.patch.match(/^diff --git/gm)).toHaveLength(1);
    }
  });
});
