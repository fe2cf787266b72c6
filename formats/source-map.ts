/**
 * Where an instance's code comes from: the row's own source, else the project's `sources`, else the format's usual
 * place. With templates, one line in the project is enough for a whole dataset.
 */
import { byCodeUnit } from '../basics/canonical.ts';
import { globToRegExp } from '../basics/glob.ts';
import type { Columns } from './columns.ts';

/** `{repo}` `{owner}` `{name}` `{commit}` `{version}`; null for what the row does not tell. */
export interface SourceNames {
  repo: string;
  owner: string | null;
  name: string | null;
  commit: string | null;
  version: string | null;
}

export interface SourceSpecs {
  source: string;
  environment_source: string;
}

/** Finds a source template by the repository's names. */
export interface SourceMap {
  templateFor(repos: string[]): string | null;
}

/** The `sources` of a dataset, by globs over repositories; of those that match the longest wins. */
export function sourceMap(sources: Readonly<Record<string, string>>): SourceMap {
  const longestFirst = Object.entries(sources).sort(([a], [b]) => b.length - a.length || byCodeUnit(a, b));
  const rules = longestFirst.map(([glob, template]) => ({
    pattern: globToRegExp(glob),
    template,
  }));
  const known = new Map<string, string | null>();
  return {
    templateFor(repos) {
      const name = repos.join('\n');
      const cached = known.get(name);
      if (cached !== undefined) return cached;
      const rule = rules.find(({ pattern }) => repos.some((repo) => pattern.test(repo)));
      known.set(name, rule?.template ?? null);
      return rule?.template ?? null;
    },
  };
}

/** The specs of an instance's code, and of the code its environment is built from at `environmentCommit`. */
export function sourceSpecs(
  columns: Columns,
  template: string,
  names: SourceNames,
  environmentCommit: string | null,
): SourceSpecs {
  const source = fill(template, names, columns);
  if (environmentCommit === null || environmentCommit === names.commit) {
    return { source, environment_source: source };
  }
  const then = { ...names, commit: environmentCommit };
  return {
    source,
    environment_source: fill(template.replaceAll('{base_commit}', '{commit}'), then, columns),
  };
}

/** What may stand in a URL's place of a name: rows are not trusted to write the URL itself. */
const SAFE = /^(?!.*\.\.)[\w.+/-]+\^?$/;

function fill(template: string, names: SourceNames, columns: Columns): string {
  return template.replace(/\{(\w+)\}/g, (_whole, column: string) => {
    const value = column in names ? names[column as keyof SourceNames] : columns.optionalText(column);
    if (value === null) columns.reject(column === 'commit' ? 'base_commit' : column, 'is missing');
    else if (!SAFE.test(value))
      columns.reject(column === 'commit' ? 'base_commit' : column, 'cannot be part of a source');
    return value ?? '';
  });
}
