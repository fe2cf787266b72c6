/**
 * Where a repository of Python names packages beside those that it needs itself: extras, dependency groups and the lists of its tools, and
 * which of them have the modules that are missing.
 *
 * Sources: PEP 621 (extras), PEP 735 (dependency groups), and the documentation of setuptools, Poetry, PDM, uv, Hatch and tox.
 */
import { fieldsOf } from '../../basics/json.ts';
import { packageOf } from '../../stages/filter/hints.ts';
import type { Declared } from './declared.ts';

/** A file of TOML, or a part of it. */
export type Table = Record<string, unknown>;

/** A list of packages. */
export interface PackageSource {
  /** How the file calls it. */
  name: string;
  /** As `the extra "test" of pyproject.toml`. */
  place: string;
  /** pip installs it with the package. */
  isExtra: boolean;
  requirements: string[];
}

export function sourcesIn(pyproject: Table, declared: Declared): PackageSource[] {
  return [...extrasIn(pyproject, declared), ...listsIn(pyproject, declared)];
}

/** Extras of the package. */
function extrasIn(pyproject: Table, { setup_cfg: cfg, setup_py: setup }: Declared): PackageSource[] {
  const cfgExtras = Object.entries(cfg['options.extras_require'] ?? {});
  const files: [string, Record<string, unknown>][] = [
    ['pyproject.toml', tableAt(pyproject, 'project', 'optional-dependencies')],
    ['pyproject.toml', tableAt(pyproject, 'tool', 'poetry', 'extras')],
    ['setup.cfg', Object.fromEntries(cfgExtras.map(([name, text]) => [name, linesOf(text)]))],
    ['setup.py', setup.extras_require ?? {}],
  ];
  const own = [tableAt(pyproject, 'project').name, cfg.metadata?.name].find(
    (name) => typeof name === 'string',
  );
  return files.flatMap(([file, extras]) =>
    Object.keys(extras).map((name) => ({
      ...{ name, place: `the extra "${name}" of ${file}`, isExtra: true },
      requirements: withExtras(name, extras, own as string | undefined, new Set()),
    })),
  );
}

/** The requirements of an extra, with those of extras that it names as requirements of the package itself. */
function withExtras(
  name: string,
  extras: Record<string, unknown>,
  own: string | undefined,
  seen: Set<string>,
): string[] {
  if (seen.has(name)) return [];
  seen.add(name);
  return texts(extras[name]).flatMap((requirement) => {
    const [, asked] = /^[\w.-]+\s*\[([^\]]*)\]/.exec(requirement) ?? [];
    if (asked === undefined || own === undefined || nameOf(requirement) !== nameOf(own)) return [requirement];
    return asked.split(',').flatMap((other) => withExtras(other.trim(), extras, own, seen));
  });
}

/** Lists of requirements that are no extras. */
function listsIn(
  pyproject: Table,
  { setup_cfg: cfg, setup_py: setup, tox_ini: tox }: Declared,
): PackageSource[] {
  const sources: PackageSource[] = [];
  const add = (name: string, place: string, requirements: readonly string[]) => {
    if (requirements.length > 0)
      sources.push({ name, place, isExtra: false, requirements: [...requirements] });
  };
  const groups = tableAt(pyproject, 'dependency-groups');
  for (const name of Object.keys(groups))
    add(name, `dependency-groups.${name} in pyproject.toml`, groupOf(groups, name, new Set()));
  for (const [name, group] of Object.entries(tableAt(pyproject, 'tool', 'poetry', 'group')))
    add(name, `tool.poetry.group.${name} in pyproject.toml`, poetryOf(tableAt(group, 'dependencies')));
  const poetry = poetryOf(tableAt(pyproject, 'tool', 'poetry', 'dev-dependencies'));
  add('dev', 'tool.poetry.dev-dependencies in pyproject.toml', poetry);
  for (const [name, list] of Object.entries(tableAt(pyproject, 'tool', 'pdm', 'dev-dependencies')))
    add(name, `tool.pdm.dev-dependencies.${name} in pyproject.toml`, texts(list));
  add(
    'dev',
    'tool.uv.dev-dependencies in pyproject.toml',
    texts(tableAt(pyproject, 'tool', 'uv')['dev-dependencies']),
  );
  for (const [name, made] of Object.entries(tableAt(pyproject, 'tool', 'hatch', 'envs'))) {
    const hatch = tableAt(made);
    const list = [...texts(hatch.dependencies), ...texts(hatch['extra-dependencies'])];
    const key = name === 'hatch-test' ? 'test' : name === 'default' ? 'dev' : name;
    add(key, `tool.hatch.envs.${name} in pyproject.toml`, list);
  }
  add('tests', 'tests_require in setup.cfg', linesOf(cfg.options?.tests_require));
  add('tests', 'tests_require in setup.py', setup.tests_require ?? []);
  const deps = linesOf(tox.testenv?.deps).filter((line) => !/^-|[{}]|^[\w.,!-]+\s*:/.test(line));
  add('testing', 'testenv in tox.ini', deps);
  return sources;
}

/** Requirements of the package itself. */
export function dependenciesIn(pyproject: Table, { setup_cfg: cfg, setup_py: setup }: Declared): string[] {
  return [
    ...texts(tableAt(pyproject, 'project').dependencies),
    ...Object.keys(tableAt(pyproject, 'tool', 'poetry', 'dependencies')),
    ...linesOf(cfg.options?.install_requires),
    ...(setup.install_requires ?? []),
  ];
}

/** The requirements of a group of PEP 735, with those that it includes. */
function groupOf(groups: Table, name: string, seen: Set<string>): string[] {
  if (seen.has(name)) return [];
  seen.add(name);
  const entries = groups[name];
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry) => {
    if (typeof entry === 'string') return [entry];
    const included = tableAt(entry)['include-group'];
    return typeof included === 'string' ? groupOf(groups, included, seen) : [];
  });
}

/** Requirements of Poetry as those of PEP 508. What is no release of an index is left out, and so is Python itself. */
function poetryOf(dependencies: Table): string[] {
  return Object.entries(dependencies).flatMap(([name, given]) => {
    if (name === 'python') return [];
    if (typeof given === 'string') return [`${name}${poetryRange(given)}`];
    const { version, extras } = tableAt(given);
    if (typeof version !== 'string') return [];
    const asked = texts(extras);
    return [`${name}${asked.length > 0 ? `[${asked.join(',')}]` : ''}${poetryRange(version)}`];
  });
}

/** A range of versions of Poetry as specifiers of PEP 440. An alternative (`||`) allows any version. */
export function poetryRange(range: string): string {
  if (range.includes('|')) return '';
  const parts = range.split(',').map((part) => part.trim());
  return parts
    .flatMap((part) => {
      const [, sign, version = ''] = /^([~^])\s*(\d+(?:\.\d+)*)/.exec(part) ?? [];
      if (part === '*' || part === '') return [];
      if (sign === undefined)
        return [/^[\d.]+(?:\.\*)?$/.test(part) ? `==${part}` : part.replace(/\s+/g, '')];
      const numbers = version.split('.').map(Number);
      const first = numbers.findIndex((number) => number > 0);
      const kept = sign === '~' ? Math.min(1, numbers.length - 1) : first < 0 ? numbers.length - 1 : first;
      const next = [...numbers.slice(0, kept), numbers[kept]! + 1];
      return [`>=${version}`, `<${next.join('.')}`];
    })
    .join(',');
}

/** A list that has some of the modules that are missing. */
export interface Holder {
  source: PackageSource;
  modules: string[];
  /** Its requirements that bring them. */
  requirements: string[];
}

/** Lists that have missing modules: as few as bring all that some list has, and the shorter of two that bring equally many. */
export function holdersOf(missing: Iterable<string>, sources: readonly PackageSource[]): Holder[] {
  const left = new Set(missing);
  const holders: Holder[] = [];
  for (;;) {
    let best: Holder | null = null;
    for (const source of sources) {
      const modules = [...left].filter((module) => source.requirements.some((one) => brings(one, module)));
      const known = best?.modules.length ?? 0;
      const isShorter = source.requirements.length < (best?.source.requirements.length ?? Infinity);
      if (modules.length < Math.max(known, 1) || (modules.length === known && !isShorter)) continue;
      const requirements = source.requirements.filter((one) => modules.some((module) => brings(one, module)));
      best = { source, modules, requirements };
    }
    if (best === null) return holders;
    holders.push(best);
    for (const module of best.modules) left.delete(module);
  }
}

/** Whether a requirement is the package of a module, by its name. A package that is called otherwise is not found. */
export function brings(requirement: string, module: string): boolean {
  const [top = ''] = module.split('.');
  const name = nameOf(requirement);
  const plain = nameOf(top);
  return [nameOf(packageOf(top)), plain, `python-${plain}`, `py${plain}`, `${plain}-python`].includes(name);
}

/** An installation of the package, with its extras if it has some. */
const INSTALLED = /(\s)(["']?)\.(?:\[([^\]]*)\])?\2(?=\s|$)/;

/** Extras that a command installs. */
export function extrasOf(command: string): string[] {
  return (INSTALLED.exec(command)?.[3] ?? '').split(',').map((name) => name.trim());
}

/** The commands of an installation with further extras; null: none of them installs the package by its folder. */
export function withExtra(install: readonly string[], extras: readonly string[]): string[] | null {
  const at = install.findIndex((command) => INSTALLED.test(command));
  if (at < 0) return null;
  const put = (command: string) =>
    command.replace(INSTALLED, (_, before: string, quote: string, known = '') => {
      const all = [...known.split(','), ...extras].map((name) => name.trim()).filter((name) => name !== '');
      return `${before}${quote}.[${[...new Set(all)].join(',')}]${quote}`;
    });
  return install.map((command, index) => (index === at ? put(command) : command));
}

/** The name in a requirement, as PEP 503 normalises it. */
export function nameOf(requirement: string): string {
  return (/^[\w.-]*/.exec(requirement)?.[0] ?? '').toLowerCase().replace(/[-_.]+/g, '-');
}

export function tableAt(value: unknown, ...keys: string[]): Table {
  let found = value;
  for (const key of keys) found = tableAt(found)[key];
  return fieldsOf(found);
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

export function linesOf(text = ''): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}
