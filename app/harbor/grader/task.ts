/** What the grader of a Harbor task reads beside it: `tests/task.json`. Written by the export, read in the container. */

import type { Suspicion } from '../../../grading/rules/findings.ts';
import type { IntegrityBaseline } from '../../../grading/rules/integrity.ts';
import type { UsedPreset } from '../../../grading/rules/presets.ts';
import type { ProtectionContext } from '../../../grading/rules/protect.ts';
import type { TaskFiles } from '../../../grading/rules/task-files.ts';
import type { Instance } from '../../../schemas/instance.ts';
import type { Service } from '../../../schemas/recipe.ts';
import type { Withheld } from '../../../tasks/first-state/make.ts';

export interface GraderTask {
  instance: Instance;
  parser: string;
  services: readonly Service[];
  evalCommands: readonly string[];
  testCommand: string;
  /** Seconds for the tests. */
  timeout: number;
  /** Bytes of a patch. */
  maxPatch: number;
  preset: UsedPreset;
  suspicion: Suspicion;
  baseline: IntegrityBaseline | null;
  protection: { command: string; context: Omit<ProtectionContext, 'files'>; files: RecordedFiles };
  /** Hidden tests; `file` is a path below `tests/hidden`. */
  withheld: readonly Withheld[];
  /** Copies of hidden tests, by absolute path. */
  copies: readonly { at: string; path: string }[];
}

/** The files of a task as far as the rules about protected files read them. */
export interface RecordedFiles {
  paths: readonly string[];
  texts: Readonly<Record<string, string>>;
  links: Readonly<Record<string, string>>;
}

/** Calls `use` with the files, and keeps what it reads of them. */
export function recordFiles(files: TaskFiles, use: (files: TaskFiles) => unknown): RecordedFiles {
  const texts: Record<string, string> = {};
  const links: Record<string, string> = {};
  use({
    paths: files.paths,
    read(path) {
      const text = files.read(path);
      if (text !== null) texts[path] = text;
      return text;
    },
    linked(path) {
      const target = files.linked(path);
      if (target !== null) links[path] = target;
      return target;
    },
  });
  return { paths: [...files.paths].sort(), texts, links };
}

export function replayFiles({ paths, texts, links }: RecordedFiles): TaskFiles {
  const own = (record: Readonly<Record<string, string>>, path: string) =>
    Object.hasOwn(record, path) ? record[path]! : null;
  return {
    paths: new Set(paths),
    read: (path) => own(texts, path),
    linked: (path) => own(links, path),
  };
}
