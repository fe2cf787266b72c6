/**
 * Licences of what swemake ships: `node scripts/licences.mjs` checks that each package that users install, or that is bundled into
 * dist/, has one of the licences below. The build writes the texts of those that are bundled into dist/LICENCES.txt.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

/** Licences under which others may be given swemake with these packages in it. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
];

/** Every package that `npm install swemake` brings, by its folder below the root. */
export function installedPackages(root = ROOT) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, one]) => path !== '' && !one.dev && !one.devOptional)
    .map(([path, { license }]) => ({ path, license }));
}

/** Folders of the packages whose files are in a bundle, by the paths of these files. */
export function bundledPackages(files) {
  const folders = files.flatMap((file) => {
    const at = file.lastIndexOf('node_modules/');
    if (at < 0) return [];
    const [scope, name] = file.slice(at + 'node_modules/'.length).split('/');
    return [file.slice(0, at) + join('node_modules', scope, scope.startsWith('@') ? name : '')];
  });
  return [...new Set(folders.map((folder) => folder.replace(/\/$/, '')))].sort();
}

/** Why a package may not be shipped; null: it may. */
export function licenceProblem(name, licence) {
  if (licence === undefined) return `${name} names no licence`;
  // `(MIT OR GPL-3.0)`: one that is allowed is enough. `A AND B`: both.
  const isAllowed = (text) =>
    text.split(/ AND /).every((part) => part.split(/ OR /).some((one) => ALLOWED.includes(one.trim())));
  return isAllowed(licence.replace(/[()]/g, '')) ? null : `${name} has the licence ${licence}`;
}

/** Licences of the bundled packages as a text; problems of those that have none. */
export function bundledLicences(files, root = ROOT) {
  const problems = [];
  const texts = bundledPackages(files).map((folder) => {
    const { name, version, licence } = described(join(root, folder));
    const problem = licenceProblem(name, licence);
    if (problem !== null) problems.push(problem);
    return `${name} ${version} (${licence})\n\n${licenceText(join(root, folder))}`;
  });
  return { text: `${texts.join(`\n${'-'.repeat(80)}\n\n`)}`, problems };
}

/** What the package's own files say; its package.json names the licence and author where there is no such file. */
function licenceText(folder) {
  const files = readdirSync(folder).filter((name) => /^(?:licen[cs]e|copying|notice)/i.test(name));
  if (files.length > 0) return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  const { licence, author } = described(folder);
  const who = typeof author === 'object' ? author.name : (author ?? 'its authors');
  return `Licence: ${licence}. Copyright: ${who}.\n`;
}

/** A package's own words; older ones name a list of licences. */
function described(folder) {
  const { name, version, license, licenses, author } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  return { name, version, author, licence: license ?? licenses?.map(({ type }) => type).join(' OR ') };
}

/** Problems of what is installed with swemake. */
export function installedProblems(root = ROOT) {
  return installedPackages(root).flatMap(({ path, license }) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const found = join(root, path, 'package.json');
    const stated =
      license ?? (existsSync(found) ? JSON.parse(readFileSync(found, 'utf8')).license : undefined);
    return licenceProblem(name, stated) ?? [];
  });
}

if (process.argv[1] === import.meta.filename) {
  const problems = installedProblems();
  for (const problem of problems) console.error(problem);
  if (problems.length === 0) console.log(`${installedPackages().length} packages have allowed licences`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
