/** The settings of the stage sft-data. */
import type { Json } from '../../basics/canonical.ts';
import type { SftConfig } from '../../schemas/generated/project.ts';

/** What decides the training data. */
export interface SftSettings extends Pick<SftConfig, 'style' | 'samples' | 'train' | 'decontaminate'> {
  dataset: string;
  /** Name of the evaluation dataset that instances are compared with; null: none. */
  evaluation: string | null;
  provenance: Record<string, Json>;
}
