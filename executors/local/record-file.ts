/**
 * Installers note a hash of every installed file in RECORD, scripts with their real interpreter path included.
 * When a captured script gets its inside path back, its line must follow: it would be wrong otherwise, and
 * different in every build.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';

/** Corrects the RECORD files below `target`/opt/env for the files in `rewritten` (paths below `target`). */
export async function updateRecords(target: string, rewritten: readonly string[]): Promise<void> {
  if (rewritten.length === 0) return;
  const changed = new Set(rewritten);
  for (const site of await sitePackages(target)) {
    const names = await readdir(join(target, site));
    for (const name of names.filter((entry) => entry.endsWith('.dist-info')))
      await updateRecord(target, site, `${site}/${name}/RECORD`, changed);
  }
}

async function sitePackages(target: string): Promise<string[]> {
  const sites: string[] = [];
  const versions = await readdir(join(target, 'opt/env/lib')).catch(whenAbsent([]));
  for (const version of versions.filter((name) => name.startsWith('python')).sort()) {
    const site = `opt/env/lib/${version}/site-packages`;
    if ((await readdir(join(target, site)).catch(whenAbsent(null))) !== null) sites.push(site);
  }
  return sites;
}

async function updateRecord(target: string, site: string, path: string, changed: Set<string>): Promise<void> {
  const text = await readFile(join(target, path), 'utf8').catch(whenAbsent(null));
  if (text === null) return;
  const lines = await Promise.all(text.split('\n').map((line) => updateLine(target, site, line, changed)));
  const updated = lines.join('\n');
  if (updated !== text) await writeFile(join(target, path), updated);
}

/** Lines are `path,sha256=...,size`, the path relative to site-packages. Compiled files carry no hash. */
async function updateLine(target: string, site: string, line: string, changed: Set<string>): Promise<string> {
  const [name, hash] = line.split(',');
  const path = posix.join(site, name ?? '');
  if (!hash?.startsWith('sha256=') || !changed.has(path)) return line;
  const bytes = await readFile(join(target, path));
  return `${name},sha256=${createHash('sha256').update(bytes).digest('base64url')},${bytes.length}`;
}
