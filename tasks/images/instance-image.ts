/** Which container image an instance has. */
import { formatOf } from '../../formats/guess.ts';
import { formatNamed } from '../../formats/registry.ts';
import type { Instance } from '../../schemas/instance.ts';
import { imageText, parseImage } from './image-name.ts';

/** Columns that name an image, the first that says something counts: SWE-smith's, SWE-bench 5's, R2E's. */
const COLUMNS = ['image_name', 'image', 'docker_image'];

/** The prebuilt image of an instance by its row, else by its dataset's rule; null where there is none. */
export function imageOf(
  { instance_id, raw }: Pick<Instance, 'instance_id' | 'raw'>,
  { format, inner, source }: { format: string; inner?: string | undefined; source: string },
): string | null {
  const named = COLUMNS.map((column) => raw[column]).find(
    (value) => typeof value === 'string' && value !== '',
  );
  if (typeof named === 'string') return imageText(parseImage(named.trim()));
  const kind = formatNamed(format);
  const reads = kind.rows === 'wrapped' ? formatOf(raw, source, inner) : kind;
  const name = reads?.rows === 'instances' ? reads.image(instance_id) : null;
  return name === null ? null : imageText(parseImage(name));
}
