/** Checks of a model's keys, wherever a model stands: agent, step_rewards, evaluation. */
import type { ModelConfig } from '../schemas/generated/project.ts';
import type { CheckContext, Draft } from './check-context.ts';
import { find, type Path } from './tree.ts';

type DraftModel = Draft<ModelConfig>;

/** Reports when `model` cannot be asked: it has no name, or neither an address nor a server to start. */
export function checkComplete(path: Path, model: DraftModel, { root, report }: CheckContext): void {
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
}

/** What can be said of a model's keys, complete or not. */
export function checkModel(path: Path, model: DraftModel, { exists, report }: CheckContext): void {
  for (const key of ['tokenizer', 'prices'] as const) {
    const file = model[key];
    if (file !== undefined && !exists(file))
      report(
        'W201',
        [...path, key],
        `"${file}" does not exist`,
        'paths are relative to the file that says them',
      );
  }
  const command = model.serve?.command;
  if (command !== undefined && !command.includes('{port}') && model.base_url === undefined)
    report(
      'E104',
      [...path, 'serve', 'command'],
      'the command has no {port}, and there is no base_url: nobody knows where it listens',
      'write --port {port}, or add base_url',
    );
}
