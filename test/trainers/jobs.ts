/** Trainings like those of the seeds, for each framework. */
import { type LoadOptions, loadProject } from '../../compiler/load.ts';
import type { RlConfig, SftConfig } from '../../schemas/generated/project.ts';
import type { Job, ModelSource, Resume } from '../../trainers/trainer.ts';
import type { Project } from '../rig/project.ts';

export type Written = Record<string, unknown>;

/** A trainer’s settings with their defaults, as a project gives them. */
export async function settingsOf<C extends SftConfig | RlConfig>(
  project: Project,
  which: 'sft' | 'rl',
  written: Written,
  gpus = 8,
): Promise<C> {
  const { writeFileSync } = await import('node:fs');
  const tree = {
    version: 1,
    name: 'seed',
    dataset: { train: { source: 'rows.jsonl', format: 'custom' } },
    deployments: { box: {}, gpu: { type: 'process', resources: { gpu: gpus } } },
    agent: { type: 'noop' },
    trainer: { [which]: written },
  };
  writeFileSync(project.path('rows.jsonl'), '');
  writeFileSync(project.path('p.yaml'), JSON.stringify(tree));
  const loaded = await loadProject('p.yaml', { env: {}, cwd: project.folder } as LoadOptions);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.fault, null, 1));
  return loaded.value.config.trainer![which] as C;
}

export function jobOf<C extends SftConfig | RlConfig>(
  config: C,
  more: { gpus?: number; resume?: Resume | null; model?: ModelSource; converted?: string | null } = {},
): Job<C> {
  const { gpus = 8, resume = null, converted = null } = more;
  const written = config.model ?? {};
  const model: ModelSource =
    more.model ??
    (written.id === undefined
      ? { kind: 'folder', path: '/models/base', files: ['config.json', 'model.safetensors'], id: 'base' }
      : { kind: 'hub', id: written.id, revision: written.revision ?? null });
  return {
    ...{ config, model, gpus, resume, converted },
    ...{
      id: 'swemake-job',
      run: 'swemake-job-1',
      name: 'seed',
      work: '/w/run',
      start: '/w/project',
      output: '/w/output',
    },
    data: { train: '/w/data/train', validation: '/w/data/validation' },
  };
}
