/** The warning about a stage whose own files were left as they are, since faults keep some instances from an answer. */
import type { HeldStage } from '../app/export/outputs.ts';

/** So many instances are named, and may be left out by name. */
const FEW = 3;

export function heldWarning({ stage, instances, isAll, folder }: HeldStage): string {
  const dataset = stage.split('.')[1];
  const [one, those] =
    instances.length === 1 ? ['1 instance', 'it'] : [`${instances.length || 'some'} instances`, 'them'];
  const isFew = instances.length > 0 && instances.length <= FEW;
  const named = isFew ? ` (${instances.join(', ')})` : '';
  const why = `faults keep ${one} from a verdict${named}, so its own files are left as they are; results of the others are in ${folder}; build again`;
  if (!isFew || isAll) return `${stage}: ${why}`;
  const ids = instances.map((id) => id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return `${stage}: ${why}. If that does not help, leave ${those} out: dataset.${dataset}.select.match: ^(?!(${ids})$)`;
}
