/**
 * Weights of the hub for frameworks that load them from a folder, and at one revision also for those that can only name a model and
 * would load its newest. The hub's own client fetches them to where it keeps all of them, and a link in the work folder names that
 * place.
 */
import { shellWord } from '../../basics/shell.ts';
import type { ModelSource, RlTrainer, SftTrainer } from '../../trainers/trainer.ts';

const LINK = 'model';

/** The framework's arguments, and bash that prepares them, run in `work`. */
export interface HubModel {
  model: ModelSource;
  script: readonly string[];
}

export function hubModel(
  model: ModelSource,
  { weights }: Pick<SftTrainer | RlTrainer, 'weights'>,
  work: string,
): HubModel {
  if (model.kind === 'folder' || model.id === '') return { model, script: [] };
  const { id, revision } = model;
  const isFetched = weights === 'snapshot' || (weights === 'name' && revision !== null);
  if (!isFetched) return { model, script: [] };
  const at = revision === null ? '' : ', revision=sys.argv[2]';
  const code = `import sys, huggingface_hub as hub; print(hub.snapshot_download(sys.argv[1]${at}))`;
  const words = [code, id, ...(revision === null ? [] : [revision])].map(shellWord);
  return {
    model: { kind: 'folder', path: `${work}/${LINK}`, files: [], id },
    script: [
      `WEIGHTS=$("$(command -v python || command -v python3)" -c ${words.join(' ')})`,
      `ln -sfn "$WEIGHTS" ${LINK}`,
    ],
  };
}
