/** Whether a YAML file is meant as a project: other programs hand all files of a repository to `check`. */
import { closest } from '../basics/suggest.ts';
import { schemaAt } from './schema.ts';

/** Keys that other YAML files have as well. */
const COMMON = ['version', 'name', 'extends'];

/**
 * A project has a name, `version: 1` or `extends`, and a section of a project, which may be misspelt. The text is searched
 * and not parsed, since a project with a syntax error is still a project.
 */
export function isMeantAsProject(text: string): boolean {
  const keys = [...text.matchAll(/^(["']?)([A-Za-z][\w-]*)\1\s*:(?=\s|$)/gm)].map(([, , key]) => key!);
  const sections = Object.keys(schemaAt([])?.properties ?? {}).filter((key) => !COMMON.includes(key));
  const hasVersion = /^version:\s*1\s*(#.*)?$/m.test(text) || keys.includes('extends');
  const own = keys.filter((key) => !COMMON.includes(key));
  return hasVersion && keys.includes('name') && own.some((key) => closest(key, sections) !== null);
}
