/** Why a stage's items would run, in a few words. */
import type { NodeEnd } from '../../engine/run.ts';

export function planItemReason({ blocked, reasons }: NodeEnd): string {
  if (blocked !== null) return 'detail' in blocked ? blocked.detail : blocked.status;
  return [...reasons]
    .sort((a, b) => b[1] - a[1])
    .map(([reason, count]) => `${count} ${reason}`)
    .join('; ');
}
