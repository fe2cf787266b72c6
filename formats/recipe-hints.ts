/**
 * What a row itself says about its environment and tests, in the columns of different datasets: SWE-rebench's
 * `install_config`, SWE-bench-Live's `test_cmds`, plain `python` or `test_cmd` columns. Columns without a counterpart
 * in a recipe (conda files, evaluation scripts) stay in the raw row.
 */
import { findParser } from '../parsers/registry.ts';
import { parserOfInstance } from '../parsers/swebench-other.ts';
import type { PartialRecipe } from '../schemas/recipe.ts';
import type { Columns } from './columns.ts';
import type { RawRow } from './row.ts';

/** The recipe keys that the row decides. Columns of its own win over `install_config`. */
export function recipeHints(columns: Columns): PartialRecipe {
  const config = columns.object('install_config') ?? {};
  const texts = (...fields: string[]) => {
    for (const field of fields) {
      const list = columns.texts(field) ?? columns.texts(field, config, `install_config.${field}`);
      if (list !== null) return list;
    }
    return undefined;
  };
  const tests = texts('test_cmd', 'test_cmds');
  const frozen = requirementLines(columns.row.requirements);
  return compact({
    python: pythonVersion(columns, config),
    pre_install: texts('pre_install'),
    // Frozen requirements stand for the files that they were made from.
    packages: frozen.length > 0 ? undefined : requirementFiles(config),
    pip: joined(frozen, condaPackages(config), columns.texts('pip_packages', config)),
    install: texts('install'),
    env: textMembers(config.env_vars),
    eval_commands: texts('eval_commands'),
    test: tests === undefined || tests.length === 0 ? undefined : tests.join(' ; '),
    parser:
      knownParser(columns.row.log_parser ?? config.log_parser) ?? parserOfInstance(columns.row.instance_id),
  });
}

/** Python's version as text; a number is refused, since 3.10 and 3.1 are the same number. */
function pythonVersion(columns: Columns, config: RawRow): string | undefined {
  const { row } = columns;
  const field = ['python', 'python_version'].find((name) => row[name] !== undefined && row[name] !== null);
  const value = field === undefined ? config.python : row[field];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string' && /^\d+(\.\d+){0,2}$/.test(value)) return value;
  columns.reject(field ?? 'install_config.python', 'must be a version as text, such as "3.10"');
  return undefined;
}

/** Columns that name files, by the value of `packages` that asks for such files. */
const FILES: Readonly<Record<string, string>> = {
  'requirements.txt': 'reqs_path',
  'environment.yml': 'env_yml_path',
};

/** SWE-rebench's harness installs those of the files that the commit has. */
function requirementFiles({ packages, ...config }: RawRow): string[] | undefined {
  const column = typeof packages === 'string' ? FILES[packages] : undefined;
  if (column === undefined) return undefined;
  const paths = config[column];
  const named = Array.isArray(paths) && paths.length > 0 ? paths.map(String) : [packages as string];
  return named.map((path) => `${path}?`);
}

/** `packages` may also be conda package names; pip knows nearly all of them by the same name. */
export function condaPackages(config: RawRow): string[] {
  const { packages } = config;
  if (typeof packages !== 'string' || /\.(txt|ya?ml)$/.test(packages)) return [];
  const words = packages.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return words
    .map((word) => word.replace(/^(['"])(.*)\1$/, '$2').replace(/^([\w.-]+)=(?!=)/, '$1=='))
    .filter((word) => REQUIREMENT.test(word));
}

const REQUIREMENT = /^[A-Za-z0-9][\w.-]*(\[[^\]]*\])?\s*((===?|[<>~!]=|[<>])\s*[^;@]+)?(;.*)?$/;

/** The lines of a frozen environment; nothing when the text is something else, such as prose. */
function requirementLines(value: unknown): string[] {
  const lines = (
    Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split('\n') : []
  )
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  // Packages that the freezing machine had from a folder or repository cannot be had again.
  const isLocal = (line: string) => line.startsWith('-') || / @ /.test(line);
  const kept = lines.filter((line) => !isLocal(line));
  return kept.every((line) => REQUIREMENT.test(line)) ? kept : [];
}

function textMembers(value: unknown): Record<string, string> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const members = Object.entries(value).filter(
    ([, text]) => typeof text === 'string' || typeof text === 'number',
  );
  return members.length > 0
    ? Object.fromEntries(members.map(([name, text]) => [name, String(text)]))
    : undefined;
}

/** Some datasets hold a parser's source code here; that is never run. */
function knownParser(value: unknown): string | undefined {
  return typeof value === 'string' && findParser(value) !== null ? value : undefined;
}

function joined(...lists: (string[] | null)[]): string[] | undefined {
  const all = lists.flatMap((list) => list ?? []);
  return all.length > 0 ? [...new Set(all)] : undefined;
}

function compact(recipe: { [K in keyof PartialRecipe]: PartialRecipe[K] | undefined }): PartialRecipe {
  return Object.fromEntries(
    Object.entries(recipe).filter(([, value]) => value !== undefined),
  ) as PartialRecipe;
}
