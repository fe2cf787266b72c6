/** Numbers, times and names in a short form. */

import { formatCount } from '../../basics/plural.ts';

export { formatCount as count, plural } from '../../basics/plural.ts';
export { percent } from '../../basics/rates.ts';

export function short(value: number): string {
  if (value < 10_000) return formatCount(value);
  if (value < 1e6) return `${(value / 1e3).toFixed(value < 1e5 ? 1 : 0)} k`;
  if (value < 1e9) return `${(value / 1e6).toFixed(value < 1e8 ? 1 : 0)} M`;
  return `${(value / 1e9).toFixed(value < 1e11 ? 1 : 0)} G`;
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')} min`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')} h`;
}

export function since(at: string | number): string {
  return duration(Math.max(0, Date.now() - (typeof at === 'number' ? at : Date.parse(at))));
}

/** How long ago, in one unit: `14 min ago`. */
export function ago(at: string | number, now = Date.now()): string {
  const seconds = Math.max(0, now - (typeof at === 'number' ? at : Date.parse(at))) / 1000;
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} days ago`;
}

export function when(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').slice(0, 19);
}

/** The parts of an item's address before and after @. */
export function itemParts(item: string): [address: string, name: string] {
  const at = item.indexOf('@');
  return at === -1 ? [item, ''] : [item.slice(0, at), item.slice(at + 1)];
}
