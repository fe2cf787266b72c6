/** Checks of a model's keys, wherever a model stands: agent, step_rewards, evaluation. */
import type { ModelConfig } from '../schemas/generated/project.ts';
import { hubModelOf } from '../tasks/pins.ts';
import { ENGINES } from '../tasks/serving/engines/registry.ts';
import type { CheckContext, Draft } from './check-context.ts';
import { checkReference } from './check-reference.ts';
import { find, type Path } from './tree.ts';

type DraftModel = Draft<ModelConfig>;

/** Reports when `model` cannot be asked: it has no name, or neither an address nor a server to start. */
export function checkComplete(
  path: Path,
  model: DraftModel,
  { root, report }: CheckContext,
  hasCheckpoint = false,
): void {
  // What is written wrongly was reported already.
  const lacks = (key: 'name' | 'base_url' | 'serve') =>
    model[key] === undefined && find(root, [...path, key]) === undefined;
  const where = path.join('.');
  if (lacks('name'))
    report('E104', path, `${where} has no name`, 'add name: NAME, as the server calls it', 'key');
  if (lacks('base_url') && lacks('serve'))
    report(
      'E104',
      path,
      `${where} has neither base_url nor serve`,
      'add base_url: http://127.0.0.1:8000/v1, or serve: { command: … }',
      'key',
    );
  checkRender(path, model, { root, report });
  const { serve } = model;
  if (serve === undefined) return;
  const { engine, command, weights } = serve;
  const at = find(root, [...path, 'serve']) === undefined ? path : [...path, 'serve'];
  if (engine === undefined && command === undefined)
    report('E104', at, 'nothing says what serves the model', 'add engine: vllm, or command: …', 'key');
  if (engine !== undefined && weights?.id === undefined && weights?.path === undefined && !hasCheckpoint)
    report(
      'E104',
      at,
      `${engine} has nothing to serve`,
      'add weights: { id: OWNER/NAME }, or { path: … }',
      'key',
    );
}

/** A prompt of ids needs what makes them, and ids of replies. */
function checkRender(
  path: Path,
  model: DraftModel,
  { root, report }: Pick<CheckContext, 'root' | 'report'>,
): void {
  if (model.render !== 'exact') return;
  const at = find(root, [...path, 'render']) === undefined ? path : [...path, 'render'];
  if (model.tokenizer === undefined)
    report(
      'E104',
      at,
      'render: exact needs the tokenizer of the model',
      'add tokenizer: FOLDER, with tokenizer.json and the chat template, or write render: chat',
    );
  if (model.tokens === 'off')
    report(
      'E132',
      at,
      'render: exact goes on from the ids of replies, and tokens: off keeps none',
      'remove tokens: off, or write render: chat',
    );
}

/** Checks of a model's keys, complete or not. */
export function checkModel(path: Path, model: DraftModel, context: CheckContext): void {
  const { exists, report } = context;
  for (const key of ['tokenizer', 'prices'] as const) {
    const file = model[key];
    if (file !== undefined && !exists(file))
      report(
        'W201',
        [...path, key],
        `"${file}" does not exist`,
        'paths are relative to the file that names them',
      );
  }
  const { identity } = model;
  const named = identity === undefined ? null : hubModelOf(identity);
  if (named !== null && named.revision === undefined)
    report(
      'E136',
      [...path, 'identity'],
      `"${identity}" names a model of the hub, and its weights may change under this name`,
      `write ${named.id}@COMMIT, or ${named.id}@main, which the lock pins; a model that is not on the hub has a name without OWNER/`,
    );
  if (model.serve !== undefined) checkServe([...path, 'serve'], model, context);
}

/** Reports what cannot work in the keys of a server that is to be started. */
function checkServe(
  path: Path,
  { serve = {}, base_url: url, identity }: DraftModel,
  context: CheckContext,
): void {
  const { report, exists } = context;
  const { engine, command, weights = {}, hosts, replicas, deployment, gpus } = serve;
  checkReference('deployment', [...path, 'deployment'], deployment, context, 'programs');
  if (engine !== undefined && command !== undefined)
    report(
      'E132',
      [...path, 'command'],
      'the server is set twice: by engine and by command',
      'keep one of them',
    );
  if (weights.id !== undefined && weights.path !== undefined)
    report(
      'E132',
      [...path, 'weights', 'path'],
      'the weights are set twice: by id and by path',
      'keep one of them',
    );
  const isNewest = ENGINES.some(({ name, fetchesNewest }) => name === engine && fetchesNewest === true);
  if (isNewest && weights.id !== undefined && (identity === undefined || weights.revision !== undefined))
    report(
      'E136',
      [...path, 'weights', weights.revision === undefined ? 'id' : 'revision'],
      `${engine} fetches the newest weights of "${weights.id}", and no commit of them`,
      'fetch the file and name it by weights.path, or write model.identity and no revision',
    );
  if (weights.path !== undefined && !exists(weights.path))
    report(
      'W201',
      [...path, 'weights', 'path'],
      `"${weights.path}" does not exist`,
      'paths are relative to the file that names them',
    );
  if (hosts !== undefined && (replicas ?? 1) > 1)
    report('E132', [...path, 'replicas'], 'each host runs one server', 'remove replicas');
  checkServedGpus(path, { gpus, hosts, deployment }, context);
  if (command !== undefined && !command.includes('{port}') && url === undefined)
    report(
      'E104',
      [...path, 'command'],
      'the command has no {port} and there is no base_url, so its address is not known',
      'write --port {port}, or add base_url',
    );
}

function checkServedGpus(
  path: Path,
  { gpus, hosts, deployment }: Pick<NonNullable<DraftModel['serve']>, 'gpus' | 'hosts' | 'deployment'>,
  { draft, report }: CheckContext,
): void {
  if (gpus === undefined || gpus === 0 || hosts !== undefined || deployment === undefined) return;
  const has = draft.deployments?.[deployment]?.resources?.gpu ?? 0;
  if (gpus > has)
    report(
      'E135',
      [...path, 'gpus'],
      `${gpus} GPUs are asked for, and deployment "${deployment}" has ${has}`,
      'write fewer, or resources: { gpu: … } of the deployment',
    );
}
