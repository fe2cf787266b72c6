/** Folders of a trainer’s settings on this machine. */
import { resolve } from 'node:path';
import type { Services } from '../../contract/machine.ts';
import type { RlConfig, SftConfig } from '../../schemas/generated/project.ts';

/** Where a command of the project starts, so that names in it mean the same as elsewhere in the project. */
export function startFolder(
  { folder }: Pick<SftConfig, 'folder'>,
  { projectFolder }: Pick<Services, 'projectFolder'>,
): string {
  return resolve(projectFolder, folder ?? '.');
}

/** Relative folders of the project mean its own. */
export function absolute<C extends SftConfig | RlConfig>(
  config: C,
  { projectFolder }: Pick<Services, 'projectFolder'>,
): C {
  const at = (path: string | undefined) => (path === undefined ? {} : { path: resolve(projectFolder, path) });
  const rl = config as RlConfig;
  return {
    ...config,
    ...(config.folder === undefined ? {} : { folder: at(config.folder).path }),
    ...(rl.module === undefined ? {} : { module: at(rl.module).path }),
    ...(rl.megatron === undefined ? {} : { megatron: at(rl.megatron).path }),
  };
}
