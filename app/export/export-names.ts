/** Names of exported rollouts: unique, fit for files, and distinct where an instance has several. */
import type { ExportName } from '../../agent/exports/rollout.ts';
import { splitItem } from '../../stages/rollouts/item-name.ts';

export interface NamedExport {
  item: string;
  /** Folder of its files, '' for none. */
  folder: string;
  exportName: ExportName;
}

/**
 * Where each item goes. `several`: for instances with several rollouts, a name each or a folder per sample; with one
 * rollout per instance the name is the instance.
 */
export function exportNames(items: readonly string[], several: 'names' | 'folders'): NamedExport[] {
  const groups = new Map<string, number>();
  for (const item of items) {
    const { instance } = splitItem(item);
    if (!groups.has(instance)) groups.set(instance, groups.size);
  }
  const isSeveral = groups.size < items.length;
  const taken = new Set<string>();
  return items.map((item, index) => {
    const { instance, sample } = splitItem(item);
    const folder = isSeveral && several === 'folders' ? fileName(sample) : '';
    const wanted = fileName(isSeveral && several === 'names' ? `${instance}_${sample}` : instance);
    // Two instances may differ only in characters that a file name cannot have.
    const name = taken.has(`${folder}/${wanted}`) ? `${wanted}~${index}` : wanted;
    taken.add(`${folder}/${name}`);
    return { item, folder, exportName: { name, group: groups.get(instance)!, index } };
  });
}

function fileName(text: string): string {
  const name = text.replace(/[^\p{L}\p{N}._+=@#,-]/gu, '_');
  return /^\.*$/.test(name) ? `_${name}` : name;
}
