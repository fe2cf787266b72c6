/** Finds the source distribution of an exact version among a package's files. */
import { type IndexFile, normaliseName } from './package-index.ts';

/** Best kind first. */
const ENDINGS = ['.tar.gz', '.tgz', '.zip', '.tar.bz2', '.tar.xz'];

/** The sdist of `name` at `version`, or null; versions are compared as PEP 440 does. */
export function findSdist(files: IndexFile[], name: string, version: string): IndexFile | null {
  const wanted = normaliseVersion(version);
  for (const ending of ENDINGS) {
    const found = files.find((file) => {
      if (!file.filename.toLowerCase().endsWith(ending)) return false;
      const stem = file.filename.slice(0, -ending.length);
      return versionsIn(stem, normaliseName(name)).some((text) => normaliseVersion(text) === wanted);
    });
    if (found) return found;
  }
  return null;
}

/** What may be the version in `Some-Name-1.0-beta`: what follows the name. */
function versionsIn(stem: string, project: string): string[] {
  const dashes = [...stem.matchAll(/-/g)].map((match) => match.index);
  return dashes.filter((at) => normaliseName(stem.slice(0, at)) === project).map((at) => stem.slice(at + 1));
}

/** PEP 440's normal form as far as it decides equality: "v1.0-beta.2" and "1b2" are the same. */
export function normaliseVersion(text: string): string {
  const [version = '', local = ''] = text.trim().toLowerCase().replace(/^v/, '').split('+');
  const [, epoch = '0', release = '', rest = ''] = /^(?:(\d+)!)?(\d+(?:\.\d+)*)(.*)$/.exec(version) ?? [];
  if (release === '') return text;
  const numbers = release.split('.').map(Number);
  while (numbers.length > 1 && numbers.at(-1) === 0) numbers.pop();
  const suffix = rest
    .replace(/^-(\d+)$/, '.post$1')
    .replace(/[-_.]?(alpha|beta|preview|pre|post|rev|dev|rc|[abcr])[-_.]?(\d*)/g, (_all, word, digits) => {
      const short: Record<string, string> = {
        alpha: 'a',
        beta: 'b',
        c: 'rc',
        pre: 'rc',
        preview: 'rc',
        rev: 'post',
        r: 'post',
      };
      return `.${short[word] ?? word}${Number(digits)}`;
    });
  return `${Number(epoch)}!${numbers.join('.')}${suffix}${local ? `+${local.replace(/[-_]/g, '.')}` : ''}`;
}
