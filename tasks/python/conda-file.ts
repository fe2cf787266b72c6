/**
 * An `environment.yml` of conda as requirements for pip. Pure. Versions keep their meaning: conda's `=1.2` is every 1.2,
 * and a build of a version is any build of it.
 * Format: https://docs.conda.io/projects/conda/en/latest/user-guide/tasks/manage-environments.html
 */
import { parse } from 'yaml';
import { fault, type Result, success } from '../../basics/result.ts';
import { indexNameOf } from './conda-names.ts';

export interface CondaFile {
  /** Requirements (PEP 508), in the order of the file; those of its `pip:` are the last. */
  requirements: string[];
  /** Those of its `pip:` alone. */
  piped: string[];
  /** What it says of conda's packages as it is, without those that every environment has. */
  specs: string[];
  /** Requirements files that it includes, relative to itself. */
  includes: string[];
  /** Projects of the repository that it installs. */
  projects: LocalProject[];
  /** Packages for which nothing on the index is known, and other options of pip, as the file writes them. */
  left: string[];
}

/** A folder that pip installs, such as `-e ../core[test]`. */
export interface LocalProject {
  isEditable: boolean;
  /** Relative to the file. */
  folder: string;
  /** `[test]`, or nothing. */
  extras: string;
}

/** Reads the file; the fault says what is wrong with it. */
export function readCondaFile(text: string): Result<CondaFile, string> {
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    return fault((error as Error).message.split('\n')[0]!);
  }
  const { dependencies } = (content ?? {}) as { dependencies?: unknown };
  if (!Array.isArray(dependencies)) return fault('it has no list of dependencies');
  const file: CondaFile = { requirements: [], piped: [], specs: [], includes: [], projects: [], left: [] };
  const piped: string[] = [];
  for (const one of dependencies) {
    if (typeof one === 'string') addPackage(one, file);
    else if (Array.isArray(one?.pip)) piped.push(...one.pip.map(String));
  }
  for (const line of piped) addPiped(line.trim(), file);
  return success(file);
}

/** `channel::name[=version[=build]]`, or with a comparison; null for what is none. */
const SPEC = /^(?:[\w./-]+::)?([\w.-]+)\s*(?:\[[^\]]*\])?\s*(.*)$/;

function addPackage(spec: string, file: CondaFile): void {
  const requirement = requirementOf(spec);
  if (requirement !== '') file.specs.push(spec.trim());
  if (requirement === null) file.left.push(spec.trim());
  else if (requirement !== '') file.requirements.push(requirement);
}

/** A package of conda as a requirement; empty where the environment has it anyway, null where none is known. */
export function requirementOf(spec: string): string | null {
  const found = SPEC.exec(spec.trim());
  const name = found === null ? null : indexNameOf(found[1]!);
  if (found === null || name === null || name === '') return name;
  const version = versionOf(found[2]!.trim());
  return version === null ? null : `${name}${version}`;
}

/** A version requirement of conda in pip's form; null where pip has none. */
function versionOf(text: string): string | null {
  if (text === '' || text === '*') return '';
  // A build after the version, by a space or by a second sign.
  const plain = text.replace(/^(=?=?[^\s=<>!~,|]+)(?:=|\s+)[^\s=<>!~,|]+$/, '$1');
  if (/[|]/.test(plain)) return null;
  const parts = plain.split(',').map((part) => clauseOf(part.trim()));
  return parts.includes(null) ? null : parts.join(',');
}

function clauseOf(part: string): string | null {
  const [, sign = '', version = ''] = /^(==|!=|>=|<=|~=|>|<|=)?\s*([\w.+!*]+)$/.exec(part) ?? [];
  if (version === '') return null;
  if (sign === '' || sign === '=') return version.endsWith('*') ? `==${dotted(version)}` : `==${version}.*`;
  // pip knows the star only for equality.
  if (version.endsWith('*') && sign !== '==' && sign !== '!=')
    return `${sign}${version.replace(/\.?\*$/, '')}`;
  return `${sign}${dotted(version)}`;
}

/** `1.2*` as pip writes it. */
function dotted(version: string): string {
  return version.replace(/([^.])\*$/, '$1.*');
}

/** A folder below or above, by a path that begins with a dot; after `-e` any relative path. */
const PROJECT =
  /^(?<option>(?:-e|--editable)[\s=]+)?(?<folder>[^\s[\]]+?)\/*(?<extras>\[[\w,.\- ]+\])?(?:\s+#.*)?$/;

function projectOf(line: string): LocalProject | null {
  const { option, folder = '', extras = '' } = PROJECT.exec(line)?.groups ?? {};
  const isFolder = option === undefined ? /^\.{1,2}(?:\/|$)/.test(folder) : !/^[-/]|:\/\//.test(folder);
  if (folder === '' || !isFolder || /\.(?:whl|zip|tar\.\w+)$/.test(folder)) return null;
  return { isEditable: option !== undefined, folder, extras };
}

function addPiped(line: string, file: CondaFile): void {
  const included = /^(?:-r|--requirement)[\s=]+(\S+)$/.exec(line)?.[1];
  const project = projectOf(line);
  if (included !== undefined) file.includes.push(included);
  else if (project !== null) file.projects.push(project);
  else if (/^[-/.]/.test(line)) file.left.push(line);
  else if (line !== '' && !line.startsWith('#')) {
    const requirement = line.replace(/\s+#.*$/, '');
    file.requirements.push(requirement);
    file.piped.push(requirement);
  }
}
