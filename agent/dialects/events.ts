/** Server-sent events. */
import type { Json } from '../../basics/canonical.ts';

export function event(data: Json, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** A comment, which clients skip. */
export const COMMENT = ': waiting for the model\n\n';
