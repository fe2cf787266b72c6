/**
 * Where a build's files for the user go, and the list beside them that says which project, profiles and settings made
 * each. What is laid over a project has a folder of its own, so that no build writes over the files of another.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { digestOf } from '../../basics/digest.ts';
import { jsonObject } from '../../basics/json.ts';
import { processTag, thisProcess } from '../../basics/process-identity.ts';
import { readableText } from '../../basics/readable.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import type { ExportedFile } from './outputs.ts';

/** Beside the folders of the stages. */
export const MADE_BY = 'made-by.json';

/** Longer names of folders are cut, and made distinct by a digest. */
const MAX_NAME = 80;

export interface MadeBy {
  /** The project file, as seen from this list. */
  project: string;
  name: string;
  profiles: string[];
  set: string[];
  /** Names of the environment's variables that the project holds. */
  env: string[];
  swemake: string;
  /** By path as seen from this list. */
  files: Record<string, { target: string; digest: string }>;
}

/** The folder of all files of a project with what is laid over it; `out`: in place of the project's own key. */
export function outputFolder(project: ResolvedProject, out: string | null = null): string {
  return join(out ?? resolve(project.folder, project.config.out), folderName(project));
}

/** `NAME`, `NAME+PROFILE`, `NAME+agent.rollouts=2`. */
function folderName({ config, overlays }: ResolvedProject): string {
  const parts = [...overlays.profiles, ...overlays.set];
  if (parts.length === 0) return config.name;
  const exact = parts.join('+');
  const plain = exact.replace(/[^A-Za-z0-9._=+-]+/g, '-').replace(/-+$/, '');
  // Other settings may come to the same name, also where case does not count.
  const isExact = plain === exact && plain === plain.toLowerCase() && plain.length <= MAX_NAME;
  const mark = digestOf(JSON.stringify([overlays.profiles, overlays.set])).slice(0, 8);
  return `${config.name}+${isExact ? plain : `${plain.slice(0, MAX_NAME)}-${mark}`}`;
}

/**
 * Writes the list for `files`, which are all that the build has made; those of other targets stay in it. Returns a
 * warning where another project of the same name wrote there before.
 */
export function noteMadeBy(
  project: ResolvedProject,
  folder: string,
  files: readonly ExportedFile[],
  version: string,
): string | null {
  if (files.length === 0) return null;
  const path = join(folder, MADE_BY);
  const before = jsonObject<MadeBy>(readableText(path));
  const own = relative(folder, project.file);
  const kept = Object.entries(before?.files ?? {}).filter(([name]) => existsSync(join(folder, name)));
  const made: MadeBy = {
    project: own,
    name: project.config.name,
    profiles: [...project.overlays.profiles],
    set: [...project.overlays.set],
    env: project.inputs.env
      .filter(({ digest }) => digest !== null)
      .map(({ name }) => name)
      .sort(),
    swemake: version,
    files: Object.fromEntries(
      [
        ...new Map([
          ...kept,
          ...files.map(
            ({ path: file, target, digest }) => [relative(folder, file), { target, digest }] as const,
          ),
        ]),
      ].sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  };
  const text = `${JSON.stringify(made, null, 1)}\n`;
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
    mkdirSync(dirname(path), { recursive: true });
    const temporary = `${path}.${processTag(thisProcess())}`;
    writeFileSync(temporary, text);
    renameSync(temporary, path);
  }
  if (before === null || before.project === own) return null;
  return `${folder} held files of ${resolve(folder, before.project)}, a project of the same name; give one of them another name or out`;
}
