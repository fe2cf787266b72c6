/**
 * How the trainings of a project would be started, without starting anything: to read it, and to compare it with
 * existing scripts, before a GPU is paid for. Paths that only a run knows are names in capitals.
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { byCodeUnit } from '../../basics/canonical.ts';
import type { ResolvedConfig } from '../../contract/config.ts';
import type { BaseModel, RlConfig, SftConfig } from '../../schemas/generated/project.ts';
import { RL_TRAINERS, SFT_TRAINERS } from '../../trainers/registry.ts';
import type { ModelSource, RlTrainer, SftTrainer } from '../../trainers/trainer.ts';
import { activationOf } from './framework.ts';
import { absolute, startFolder } from './paths.ts';
import { type AnyJob, type Start, startOf } from './script.ts';
import { deploymentGpus } from './settings.ts';

export interface Preview extends Start {
  stage: 'sft-train' | 'rl-train';
}

type Project = Pick<ResolvedConfig, 'name' | 'trainer' | 'deployments'>;

export async function trainingPreviews(config: Project, projectFolder: string): Promise<Preview[]> {
  const { sft, rl } = config.trainer ?? {};
  const found: Preview[] = [];
  if (sft !== undefined && sft.type !== 'none')
    found.push(await preview('sft', sft, SFT_TRAINERS[sft.type], config, projectFolder));
  if (rl !== undefined && rl.type !== 'none')
    found.push(await preview('rl', rl, RL_TRAINERS[rl.type], config, projectFolder));
  return found;
}

async function preview(
  which: 'sft' | 'rl',
  settings: SftConfig | RlConfig,
  trainer: SftTrainer | RlTrainer,
  project: Project,
  projectFolder: string,
): Promise<Preview> {
  const { output, output_folder: folder } = settings;
  const job = {
    config: absolute(settings, { projectFolder }),
    ...{
      id: `swemake-${which}-ID`,
      run: `swemake-${which}-ID-RUN`,
      name: project.name,
      work: '/WORK',
      start: startFolder(settings, { projectFolder }),
      resume: null,
    },
    output: output === 'fixed' && folder !== undefined ? resolve(projectFolder, folder) : '/OUTPUT',
    data: { train: '/DATA/train', validation: which === 'rl' ? '/DATA/validation' : null },
    model: sourceOf(settings.model, trainer, projectFolder),
    gpus: settings.gpus ?? deploymentGpus(project, which),
    converted: 'mode' in settings && settings.mode === 'raw' ? '/TORCH_DIST' : null,
  } as AnyJob;
  const activate = activationOf(which, { config: project as ResolvedConfig });
  return { stage: `${which}-train`, ...(await startOf(trainer, job, activate, [])) };
}

function sourceOf(
  model: BaseModel | undefined,
  { weights }: SftTrainer | RlTrainer,
  projectFolder: string,
): ModelSource {
  if (model?.from !== undefined) return { kind: 'folder', path: '/CHECKPOINT', files: [], id: 'checkpoint' };
  if (model?.path !== undefined) {
    const path = resolve(projectFolder, model.path);
    const files = existsSync(path) ? readdirSync(path).sort(byCodeUnit) : [];
    return { kind: 'folder', path, files, id: basename(path) };
  }
  const id = model?.id ?? '';
  if (weights === 'folder') return { kind: 'folder', path: '/MODEL', files: [], id };
  return { kind: 'hub', id, revision: model?.revision ?? null };
}
