/** Wrong project files again: what agents, grading, training and evaluation can get wrong. */
import { MINIMAL } from './project-folder.ts';
import { type WrongProject, wrong } from './wrong-projects.ts';

const agent = (keys: string) => `${MINIMAL}agent:\n${keys}\n`;
const MODEL = 'model: { base_url: "http://h/v1", name: m }';

export const ROLLOUTS: WrongProject[] = [
  wrong(
    'a benchmark in two places',
    `version: 1\nname: p\ndataset: { train: { source: rows.jsonl, format: custom, deployment: a } }\ndeployments: { a: { type: sandbox }, b: { type: sandbox } }\nvalidation: { deployment: a }\nagent: { type: noop }\nevaluation: { dataset: train, deployment: «b» }\n`,
    'E132',
    'dataset "train" says deployment a',
    'remove one of the two',
  ),
  wrong(
    'an agent without a model',
    `${MINIMAL}«agent»: { type: bash }\n`,
    'E104',
    'an agent of type bash needs a model',
    'add model: { base_url: http://127.0.0.1:8000/v1, name: NAME }',
  ),
  wrong(
    'a model without a name',
    agent('  «model»: { base_url: "http://h/v1" }'),
    'E104',
    'agent.model has no name',
    'add name: NAME, as the server calls it',
  ),
  wrong(
    'a model nowhere',
    agent('  «model»: { name: m }'),
    'E104',
    'agent.model has neither base_url nor serve',
    'add base_url: http://127.0.0.1:8000/v1, or serve: { command: … }',
  ),
  wrong(
    'a served model without a port',
    agent('  model:\n    name: m\n    serve: { command: «vllm serve m» }'),
    'E104',
    'the command has no {port}, and there is no base_url: nobody knows where it listens',
    'write --port {port}, or add base_url',
  ),
  wrong(
    'a judge nowhere',
    agent(`  ${MODEL}\n  step_rewards: { «model»: { name: j } }`),
    'E104',
    'agent.step_rewards.model has neither base_url nor serve',
    'add base_url: http://127.0.0.1:8000/v1, or serve: { command: … }',
  ),
  wrong(
    'an unknown parameter',
    agent('  model: { base_url: "http://h/v1", name: m, «temprature»: 1 }'),
    'E103',
    'unknown key "temprature" in agent.model',
    'did you mean "temperature"?',
  ),
  wrong(
    'an unknown dataset of the agent',
    agent(`  ${MODEL}\n  dataset: «trian»`),
    'E111',
    'there is no dataset "trian"',
    'did you mean "train"?',
  ),
  wrong(
    'an unknown deployment of the agent',
    `${agent(`  ${MODEL}\n  deployment: «bax»`)}deployments: { box: {} }\n`,
    'E111',
    'there is no deployment "bax"',
    'did you mean "box"?',
  ),
  wrong(
    'an unknown deployment of the grader',
    `${MINIMAL}deployments: { box: {} }\ngrading: { deployment: «bax» }\n`,
    'E111',
    'there is no deployment "bax"',
    'did you mean "box"?',
  ),
  wrong(
    'an agent on a dataset that is not validated',
    `version: 1
name: demo
dataset: { a: { source: o/a, format: custom }, b: { source: o/b, format: custom } }
validation: { dataset: a }
agent: { type: noop, dataset: «b» }
`,
    'E132',
    'nothing is built for dataset "b": validation.dataset is "a"',
    'remove validation.dataset, or use the same dataset',
  ),
  wrong(
    'tools with actions',
    agent(`  type: tools\n  actions: «fence»\n  ${MODEL}`),
    'E132',
    'agents of type tools call functions, which fence cannot say',
    'remove actions, write actions: tool-calls, or use type: bash',
  ),
  wrong(
    'tools in the old dialect',
    agent(`  type: tools\n  dialect: «swe-rl»\n  ${MODEL}`),
    'E132',
    'dialect swe-rl knows no tools',
    'use type: bash, or dialect: v2',
  ),
  wrong(
    'tool calls in the old dialect',
    agent(`  dialect: swe-rl\n  actions: «tool-calls»\n  ${MODEL}`),
    'E132',
    'dialect swe-rl reads no tool calls',
    'use actions: fence, or dialect: v2',
  ),
  wrong(
    'an action that is no expression',
    agent(`  ${MODEL}\n  action_regex: «"bash(.*"»`),
    'E113',
    'not a regular expression: unterminated group',
    'write \\\\ before a character that stands for itself',
  ),
  wrong(
    'an action without a group',
    agent(`  ${MODEL}\n  action_regex: «"bash(?:.*)"»`),
    'E113',
    'the expression has no group for the command',
    'put ( ) around what is the command',
  ),
  wrong(
    'a bounded history without a bound',
    agent(`  ${MODEL}\n  «context»: { strategy: head-tail }`),
    'E104',
    'strategy head-tail needs max_tokens',
    'add max_tokens: 16384',
  ),
  wrong(
    'a bound that the reply eats up',
    agent(`  ${MODEL}\n  context: { strategy: head-tail, max_tokens: «4096», max_response_tokens: 4096 }`),
    'E132',
    'max_tokens leaves nothing for the prompt: max_response_tokens is 4096',
    'write more than 4096, or a smaller max_response_tokens',
  ),
  wrong(
    'a bound below the model’s own',
    agent(`  ${MODEL}\n  context: { strategy: head-tail, max_tokens: «2048» }`),
    'E132',
    'max_tokens leaves nothing for the prompt: model.max_tokens is 4096',
    'write more than 4096, or a smaller model.max_tokens',
  ),
  wrong(
    'a bad glob of protected files',
    `${MINIMAL}grading: { protect: ["ci/**", «"a/[b"»] }\n`,
    'E115',
    'not a glob: "[" is not closed',
    'write \\ before a character that stands for itself',
  ),
  wrong(
    'training without an agent',
    `${MINIMAL}trainer: { «sft»: { style: xml } }\n`,
    'E104',
    'there are no rollouts to learn from: the project has no agent',
    'add agent: { … }, or remove trainer.sft',
  ),
  wrong(
    'an evaluation of nothing',
    `${MINIMAL}«evaluation»: { dataset: train }\n`,
    'E104',
    'there is nothing to evaluate: the project has no agent, and there are no predictions',
    'add agent: { … }, or evaluation.predictions',
  ),
  wrong(
    'models without an agent',
    `${MINIMAL}evaluation: { dataset: train, «models»: { base: { name: m } } }\n`,
    'E104',
    'models need an agent to work for: the project has no agent',
    'add agent: { type: bash }',
  ),
  wrong(
    'the benchmark rolled out',
    `${agent(`  ${MODEL}\n  dataset: «train»`)}evaluation: { dataset: train }\n`,
    'E132',
    '"train" is the benchmark: nothing is rolled out of it but for the evaluation',
    'write another dataset, or remove it',
  ),
  wrong(
    'an unknown benchmark',
    `${MINIMAL}agent: { type: noop }\nevaluation: { dataset: «eval» }\n`,
    'E111',
    'there is no dataset "eval"',
    'known: train',
  ),
  wrong(
    'an evaluated model nowhere',
    `${agent('  type: noop')}evaluation: { dataset: train, agent: { type: bash }, models: { «sft»: { name: m } } }\n`,
    'E104',
    'evaluation.models.sft has neither base_url nor serve',
    'add base_url: http://127.0.0.1:8000/v1, or serve: { command: … }',
  ),
  wrong(
    'an evaluated agent without a model',
    `${agent('  type: noop')}evaluation: { dataset: train, agent: { type: «bash» } }\n`,
    'E104',
    'an agent of type bash needs a model',
    'add agent.model, or evaluation.models',
  ),
  wrong(
    'a model named like a baseline',
    `${agent(`  ${MODEL}`)}evaluation: { dataset: train, models: { «oracle»: {} } }\n`,
    'E132',
    '"oracle" is the name of a baseline',
    'choose another name',
  ),
  wrong(
    'predictions named like a model',
    `${agent(`  ${MODEL}`)}evaluation: { dataset: train, models: { a: {} }, predictions: { «a»: [p.yaml] } }\n`,
    'E132',
    '"a" is the name of a model already',
    'choose another name',
  ),
  wrong(
    'actions in an evaluation with tools',
    `${agent(`  type: tools\n  ${MODEL}`)}evaluation: { dataset: train, agent: { actions: «xml» } }\n`,
    'E132',
    'agents of type tools call functions, which xml cannot say',
    'remove actions, write actions: tool-calls, or use type: bash',
  ),
];
