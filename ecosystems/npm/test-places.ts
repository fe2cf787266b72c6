/**
 * Where a repository's tests are, for runners that look for them in one folder alone: mocha in `test/*`, QUnit in `test`. Where a script names
 * none and these folders have none, the files that are called as tests are named by patterns.
 */
import { byCodeUnit } from '../../basics/canonical.ts';
import { jsonObject } from '../../basics/json.ts';
import type { ProposedFor } from '../kind.ts';
import { matcherOf } from './globs.ts';
import { optionsIn } from './options.ts';

/** What such a runner is asked for: patterns; none where it finds the tests itself, or where there are none. */
type Places = (given: string, repository: ProposedFor) => string[];

export const mochaPlaces: Places = (given, { read, files }) =>
  isNamed(given, files) || hasSettings(read) || files.some(isFound(given, read)) ? [] : patterns(files);

export const qunitPlaces: Places = (given, { files }) =>
  isNamed(given, files) || files.some((path) => /^test\/.*\.[cm]?js$/.test(path)) ? [] : patterns(files);

/** Whether words of a command are files, folders or patterns of the repository. */
function isNamed(given: string, files: readonly string[]): boolean {
  const words = given.split(/\s+/).map((word) => word.replace(/^--?[\w-]+=/, '').replace(/^['"]|['"]$/g, ''));
  const loaded = new Set(optionsIn(given).flatMap(({ text, keys }) => (keys.includes('spec') ? [] : [text])));
  return words.some((word) => {
    if (loaded.has(word)) return false;
    const path = word.replace(/^\.\//, '').replace(/\/+$/, '');
    if (path === '' || path.startsWith('-')) return false;
    const matches = matcherOf('', path);
    return files.some((file) => file.startsWith(`${path}/`) || (isScript(file) && matches?.(file)));
  });
}

const SETTINGS = [
  '.mocharc.js',
  '.mocharc.cjs',
  '.mocharc.yaml',
  '.mocharc.yml',
  '.mocharc.jsonc',
  '.mocharc.json',
];

/** The settings of mocha, one after the other. */
function settingsOf(read: ProposedFor['read']): string[] {
  const { mocha } = jsonObject<Record<string, unknown>>(read('package.json')) ?? {};
  return [...SETTINGS.map(read), read('test/mocha.opts'), JSON.stringify(mocha ?? {})];
}

/** Whether settings of mocha name tests. */
function hasSettings(read: ProposedFor['read']): boolean {
  const lines = read('test/mocha.opts').split('\n');
  const isFile = (line: string) => /^\s{0,99}[^\s\-#]\S*[/.*]/.test(line);
  return (
    lines.some(isFile) || settingsOf(read).some((text) => /(?:^|[\s'"{,-])spec['"]?\s{0,9}[:=]/m.test(text))
  );
}

/** Whether mocha finds a file itself. */
function isFound(given: string, read: ProposedFor['read']): (path: string) => boolean {
  const texts = [given, ...settingsOf(read)];
  const isSaid = (sign: RegExp) => texts.some((text) => sign.test(text));
  const ending = isSaid(/\b(?:extension|ts-node|tsx|swc)\b/) ? '[cm]?[jt]sx?' : '[cm]?js';
  const folders = isSaid(/\brecursive\b/) ? '(?:.*/)?' : '';
  const pattern = new RegExp(`^test/${folders}[^/]+\\.${ending}$`);
  return (path) => pattern.test(path);
}

const isScript = (path: string) => /\.[cm]?[jt]sx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path);
/** Folders whose files are no tests, whatever they are called. */
const BESIDE =
  /(?:^|\/)(?:node_modules|fixtures?|__fixtures__|__mocks__|examples?|dist|build|coverage|vendor|\.[^/]+)\//;
/** Names of tests, with their endings: in JavaScript, which a runner reads as it is, then in TypeScript. */
const ENDINGS = [/[._-](?:tests?|specs?)\.([cm]?js)$/, /[._-](?:tests?|specs?)\.([cm]?ts|[jt]sx)$/];
const FOLDERS = ['__tests__', 'test', 'tests', 'spec', 'specs'];
/** Patterns of one command. */
const MOST = 20;

/** The files that are called as tests, by their folders at the root; none where they are too many to be named. */
function patterns(files: readonly string[]): string[] {
  const scripts = files.filter((path) => isScript(path) && !BESIDE.test(path));
  for (const ending of ENDINGS) {
    const found = scripts.flatMap((path) => {
      const [end] = ending.exec(path) ?? [];
      return end === undefined ? [] : [path.includes('/') ? `${top(path)}/**/*${end}` : `*${end}`];
    });
    if (found.length > 0) return few(found);
  }
  for (const folder of FOLDERS) {
    const found = scripts.flatMap((path) => {
      const parts = path.split('/').slice(0, -1);
      const at = parts.indexOf(folder);
      const end = /\.\w+$/.exec(path)![0];
      if (at < 0) return [];
      return [at === 0 ? `${folder}/**/*${end}` : `${top(path)}/**/${folder}/**/*${end}`];
    });
    if (found.length > 0) return few(found);
  }
  return [];
}

const top = (path: string) => path.slice(0, path.indexOf('/'));

function few(found: readonly string[]): string[] {
  const all = [...new Set(found)].filter((pattern) => /^[\w@.*/-]+$/.test(pattern)).sort(byCodeUnit);
  return all.length > MOST ? [] : all;
}
