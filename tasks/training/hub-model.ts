/**
 * Weights of the hub at one revision, for frameworks that can only name a model and would load its newest. The hub's own
 * client fetches them to where it keeps all of them, and a link in the work folder names that place.
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
  if (model.kind === 'folder' || model.revision === null || weights !== 'name') return { model, script: [] };
  const code =
    'import sys, huggingface_hub as hub; print(hub.snapshot_download(sys.argv[1], revision=sys.argv[2]))';
  return {
    model: { kind: 'folder', path: `${work}/${LINK}`, files: [], id: model.id },
    script: [
      `WEIGHTS=$("$(command -v python || command -v python3)" -c ${shellWord(code)} ${shellWord(model.id)} ${shellWord(model.revision)})`,
      `ln -sfn "$WEIGHTS" ${LINK}`,
    ],
  };
}
