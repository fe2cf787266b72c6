/** What a project says of its training data. */
import type { Json } from '../../basics/canonical.ts';
import type { SftConfig } from '../../schemas/generated/project.ts';

/** What the project says of the data. */
export interface SftSettings extends Pick<SftConfig, 'style' | 'samples' | 'train' | 'decontaminate'> {
  dataset: string;
  /** Name of the dataset that is compared; null: none. */
  evaluation: string | null;
  provenance: Record<string, Json>;
}
