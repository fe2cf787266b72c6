/**
 * Thoughts have a seal in some dialects: opaque text that a vendor gives with them and that the agent sends back, with
 * the thoughts or in place of them. Ours holds the thoughts themselves, so they come back exactly, and without a
 * table.
 */
import { parsedJson } from '../../basics/json.ts';

const MARK = 'swemake:';

export function sealed(thoughts: string): string {
  return Buffer.from(MARK + JSON.stringify(thoughts)).toString('base64');
}

/** The thoughts under a seal of ours; null for what was sealed elsewhere. */
export function unsealed(seal: unknown): string | null {
  if (typeof seal !== 'string') return null;
  const text = Buffer.from(seal, 'base64').toString();
  if (!text.startsWith(MARK)) return null;
  const thoughts = parsedJson(text.slice(MARK.length));
  return typeof thoughts === 'string' ? thoughts : null;
}
