/** Checks of `agent`: keys that need each other, and those that contradict each other. */

import { namesIn } from '../agent/kinds/kind.ts';
import { AGENTS, asksModel, drivesItself, findAgent, keysOf } from '../agent/kinds/registry.ts';
import type { AgentConfig } from '../schemas/generated/project.ts';
import type { CheckContext, Draft } from './check-context.ts';
import { regExpProblem } from './check-datasets.ts';
import { checkComplete, checkModel } from './check-model.ts';
import { checkReference, checkValidated } from './check-reference.ts';
import { kindOf, typesThat } from './kinds.ts';
import { find, isNull, type Path } from './tree.ts';

export type DraftAgent = Draft<AgentConfig>;

export function checkAgent(context: CheckContext): void {
  const { draft, root } = context;
  if (!isWritten(root, ['agent']) || draft.agent === undefined) return;
  const agent = draft.agent;
  if (asksModel(agent.type)) checkActor(agent, context);
  if (agent.model !== undefined) checkModel(['agent', 'model'], agent.model, context);
  const judge = agent.step_rewards?.model;
  if (judge !== undefined) {
    checkComplete(['agent', 'step_rewards', 'model'], judge, context);
    checkModel(['agent', 'step_rewards', 'model'], judge, context);
  }
  checkReference('dataset', ['agent', 'dataset'], agent.dataset, context);
  checkValidated(['agent', 'dataset'], agent.dataset, context);
  checkSameSamples(agent, context);
  checkAgentKeys(['agent'], agent, context);
}

/** A user has either texts or a model. */
function checkUser(at: Path, { user }: DraftAgent, context: CheckContext): void {
  const { root, report } = context;
  if (user === undefined || !isWritten(root, at)) return;
  if (user.says !== undefined && user.model !== undefined)
    report('E132', [...at, 'says'], 'the user is set twice: by says and by model', 'keep one of them', 'key');
  if (user.model !== undefined) {
    checkComplete([...at, 'model'], user.model, context);
    checkModel([...at, 'model'], user.model, context);
    return;
  }
  if (user.says === undefined)
    report(
      'E104',
      at,
      'the user has nothing to say',
      'add says: [TEXT], or model: { base_url: http://127.0.0.1:8000/v1, name: NAME }',
      'key',
    );
  for (const key of ['prompt', 'turns'].filter((one) => isWritten(root, [...at, one])))
    report('W202', [...at, key], `${key} has no effect without a model`, 'add model, or remove it', 'key');
}

/** Whether something is written at `path`. */
export function isWritten(root: CheckContext['root'], path: Path): boolean {
  const node = find(root, path);
  return node !== undefined && !isNull(node);
}

function checkActor(agent: DraftAgent, context: CheckContext): void {
  if (agent.model !== undefined) checkComplete(['agent', 'model'], agent.model, context);
  // Models of an evaluation may be complete without agent.model, but then only the evaluation has rollouts.
  else if (!isWritten(context.root, ['agent', 'model']))
    context.report(
      'E104',
      ['agent'],
      `an agent of type ${agent.type} needs a model`,
      'add model: { base_url: http://127.0.0.1:8000/v1, name: NAME }',
      'key',
    );
}

/**
 * Checks that `agent` and `evaluation.agent` share. `agent` has the effective values, `path` is where they are
 * written.
 */
export function checkAgentKeys(path: Path, agent: DraftAgent, context: CheckContext): void {
  checkReference('deployment', [...path, 'deployment'], agent.deployment, context);
  checkKeys(path, agent, context);
  checkReach(path, agent, context);
  checkContext(path, agent, context);
  checkUnused(path, agent, context);
  checkUser([...path, 'user'], agent, context);
  checkPath([...path, 'templates', 'from'], agent.templates?.from, context);
  checkPath([...path, 'source'], agent.source, context);
  checkPath([...path, 'program', 'install', 'source'], agent.program?.install?.source, context);
}

function checkPath(path: Path, named: string | undefined, { root, exists, report }: CheckContext): void {
  if (named === undefined || !isWritten(root, path) || exists(named)) return;
  report('W201', path, `"${named}" does not exist`, 'paths are relative to the file that names them');
}

/** A key that the type does not have would look as if it had an effect. */
function checkKeys(path: Path, agent: DraftAgent, { draft, root, report }: CheckContext): void {
  const kind = findAgent(agent.type);
  if (kind === undefined) return;
  // Keys of `agent` are also those of the evaluation's agent, which may have another type.
  const kinds = path.length > 1 ? [kind] : [kind, findAgent(draft.evaluation?.agent?.type) ?? kind];
  const known = new Set(kinds.flatMap(keysOf));
  const isHere = (key: string) => isWritten(root, [...path, key]);
  for (const key of Object.keys(agent).filter((one) => !known.has(one) && isHere(one))) {
    const others = namesIn(AGENTS.filter((one) => keysOf(one).includes(key)));
    report(
      'E103',
      [...path, key],
      `an agent of type ${kind.name} has no key "${key}"`,
      `remove it, or use type: ${others.join(' or ')}; ${kind.name} has ${keysOf(kind).join(', ')}`,
      'key',
    );
  }
  for (const { code, key, message, remedy, at } of kind.problems?.(agent as AgentConfig, isHere) ?? [])
    report(code, [...path, key], message, remedy, at);
  if (agent.action_regex !== undefined && known.has('action_regex') && isHere('action_regex'))
    checkRegExp([...path, 'action_regex'], agent.action_regex, report);
}

/** A program asks its model through a port of its workspace, which workspaces on other machines do not have. */
function checkReach(path: Path, agent: DraftAgent, { draft, root, report }: CheckContext): void {
  const kind = findAgent(agent.type);
  if (kind === undefined || !drivesItself({ type: kind.name as AgentConfig['type'] })) return;
  const name = agent.deployment ?? draft.validation?.deployment;
  const type = draft.deployments?.[name ?? '']?.type;
  const facts = type === undefined ? undefined : kindOf(type);
  if (facts === undefined || facts.runs === 'programs' || facts.reaches) return;
  const written = [...path, 'deployment'];
  report(
    'E134',
    isWritten(root, written) ? written : [...path, 'type'],
    `agents of type ${kind.name} cannot work in "${name}": workspaces of type ${type} have no way to the model door`,
    `use ${typesThat(({ reaches }) => reaches)}`,
  );
}

function checkRegExp(path: Path, text: string, report: CheckContext['report']): void {
  const wrong = regExpProblem(text, 'su');
  if (wrong !== null)
    report(
      'E113',
      path,
      `not a regular expression: ${wrong}`,
      'write \\\\ before a character that is meant literally',
    );
  // With an empty alternative added, the match shows how many groups there are.
  else if (new RegExp(`${text}|`, 'su').exec('')!.length < 2)
    report('E113', path, 'the expression has no group for the command', 'put ( ) around the command');
}

function checkContext(path: Path, agent: DraftAgent, { root, report }: CheckContext): void {
  const context = agent.context ?? {};
  const at = [...path, 'context'];
  if (!isWritten(root, at)) return;
  if (context.strategy === 'full') {
    const idle = (['max_tokens', 'max_response_tokens', 'head'] as const).filter((key) =>
      isWritten(root, [...at, key]),
    );
    for (const key of idle)
      report(
        'W202',
        [...at, key],
        `${key} has no effect on strategy full`,
        'write strategy: head-tail, or remove it',
        'key',
      );
    return;
  }
  if (context.strategy === 'summary' && isWritten(root, [...at, 'head']))
    report('W202', [...at, 'head'], 'head has no effect on strategy summary', 'remove it', 'key');
  const { max_tokens: all, max_response_tokens: own } = context;
  const reply = own ?? agent.model?.max_tokens;
  if (all === undefined) {
    if (!isWritten(root, [...at, 'max_tokens']))
      report('E104', at, `strategy ${context.strategy} needs max_tokens`, 'add max_tokens: 16384', 'key');
  } else if (reply !== undefined && all <= reply) {
    const name = own === undefined ? 'model.max_tokens' : 'max_response_tokens';
    const message = `max_tokens leaves nothing for the prompt: ${name} is ${reply}`;
    const key = isWritten(root, [...at, 'max_tokens']) ? 'max_tokens' : 'max_response_tokens';
    report('E132', [...at, key], message, `write more than ${reply}, or a smaller ${name}`);
  }
}

function checkUnused(path: Path, agent: DraftAgent, { root, report }: CheckContext): void {
  const cost = agent.limits?.cost ?? 0;
  if (cost > 0 && isWritten(root, [...path, 'limits', 'cost']) && agent.model !== undefined)
    if (agent.model.prices === undefined && !isWritten(root, ['agent', 'model', 'prices']))
      report(
        'W202',
        [...path, 'limits', 'cost'],
        'a cost limit has no effect without prices',
        'add prices to the model, or remove it',
        'key',
      );
}

function checkSameSamples(agent: DraftAgent, { root, report }: CheckContext): void {
  const rollouts = agent.rollouts ?? 1;
  if (!asksModel(agent.type)) {
    if (rollouts > 1)
      report(
        'W209',
        ['agent', 'rollouts'],
        `${rollouts} rollouts of type ${agent.type} are all the same`,
        'write rollouts: 1',
      );
  } else if (rollouts > 1 && agent.model?.temperature === 0)
    report(
      'W209',
      isWritten(root, ['agent', 'model', 'temperature']) ? ['agent', 'model', 'temperature'] : ['agent'],
      `${rollouts} rollouts at temperature 0 are most likely the same`,
      'write a temperature above 0, or rollouts: 1',
    );
}
