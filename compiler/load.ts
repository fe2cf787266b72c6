/**
 * Loads a resolved project: read, compose, override, interpolate, validate, resolve, check. Each step is a module of
 * its own. This one puts them in order and decides what goes on after an error.
 */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Digest, digestOf } from '../basics/digest.ts';
import { fault, type Result, success } from '../basics/result.ts';
import type { Project } from '../schemas/generated/project.ts';
import { validate } from '../schemas/generated/validate.js';
import { checkProject } from './check.ts';
import type { Draft } from './check-context.ts';
import { checkPrompts } from './check-prompts.ts';
import { applyOverrides, type Composition, compose, type InputFile } from './compose.ts';
import { withDerived } from './derived.ts';
import { type Diagnostic, DiagnosticSink, diagnoseFile } from './diagnostic.ts';
import { displayName, readSource } from './files.ts';
import { interpolate } from './interpolate.ts';
import { type Origin, resolveTree } from './resolve.ts';
import { asMeant, reportSchemaErrors } from './schema-errors.ts';
import { checkTargets } from './targets.ts';
import { type Node, toData, without } from './tree.ts';
import { parseVariables } from './variables.ts';

export interface LoadOptions {
  /** Laid over the project in this order. */
  profiles?: readonly string[];
  /** `a.b=c`, laid over it last. */
  set?: readonly string[];
  /** File of variables for `${env:…}`; the process's own win. */
  envFile?: string;
  env: NodeJS.ProcessEnv;
  /** Relative paths of arguments start here. */
  cwd: string;
  /** Absolute paths of files that the command will write, which need not be there yet. */
  written?: readonly string[];
}

export interface ResolvedProject {
  /** Defaults filled in, times in seconds, sizes in bytes, paths relative to `folder`; no secret values. */
  config: Project;
  /** Absolute path of the project file. */
  file: string;
  /** Absolute folder of the project file. */
  folder: string;
  /** Path of a leaf value -> where it came from. */
  origins: Map<string, Origin>;
  /** Placeholder as it stands in the config, `${secret:NAME}` -> NAME. */
  secrets: Map<string, string>;
  /** All that the config depends on, for memoising; with `profiles` and `set` it is complete. */
  inputs: ProjectInputs;
  warnings: Diagnostic[];
  /** What was laid over the project file. */
  overlays: { profiles: readonly string[]; set: readonly string[] };
}

interface ProjectInputs {
  /** The project file, those that it extends, the file of variables, those of `templates.from`. */
  files: InputFile[];
  /** Digest of the value, null when the variable is not set. */
  env: { name: string; digest: Digest | null }[];
}

/** Reads, composes and checks a project file; every error of it at once, in the order of the file. */
export async function loadProject(
  file: string,
  options: LoadOptions,
): Promise<Result<ResolvedProject, Diagnostic[]>> {
  const opened = await openProject(file, options);
  if (!opened.ok) return opened;
  const { profiles = [], set = [], written = [] } = options;
  const { project, diagnostics } = await evaluate(opened.value, profiles, set, written);
  return project === null ? fault(diagnostics) : success(project);
}

/**
 * Everything that is wrong with a project file: as `loadProject` sees it, and with each profile that is not
 * selected by itself. Variables that only such a profile needs may be absent.
 */
export async function diagnoseProject(file: string, options: LoadOptions): Promise<Diagnostic[]> {
  const opened = await openProject(file, options);
  if (!opened.ok) return opened.fault;
  const selected = options.profiles ?? [];
  const sink = new DiagnosticSink();
  sink.push(...(await evaluate(opened.value, selected, options.set ?? [])).diagnostics);
  for (const profile of opened.value.composition.profiles.keys()) {
    if (selected.includes(profile)) continue;
    // Without the selected profiles: they may be alternatives to this one.
    const { diagnostics } = await evaluate(opened.value, [profile], options.set ?? []);
    sink.push(...diagnostics.filter((one) => one.code !== 'E120'));
  }
  return sink.sorted();
}

/** What was read for a project, before profiles and settings. */
interface Opened {
  file: string;
  cwd: string;
  composition: Composition;
  files: InputFile[];
  variables: Map<string, string>;
  /** Found while reading. */
  diagnostics: Diagnostic[];
}

async function openProject(name: string, options: LoadOptions): Promise<Result<Opened, Diagnostic[]>> {
  const sink = new DiagnosticSink();
  const files: InputFile[] = [];
  const file = resolve(options.cwd, name);
  const composition = await compose(file, options.cwd, files, sink);
  const variables = await readVariables(options, files, sink);
  if (composition === null || variables === null) return fault(sink.sorted());
  return success({ file, cwd: options.cwd, composition, files, variables, diagnostics: sink.sorted() });
}

/** The variables of the process and, below them, those of the file; null when it cannot be used. */
async function readVariables(
  { envFile, env, cwd }: LoadOptions,
  files: InputFile[],
  sink: DiagnosticSink,
): Promise<Map<string, string> | null> {
  const own = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  if (envFile === undefined) return new Map(own);
  const path = resolve(cwd, envFile);
  const read = await readSource(path, cwd);
  if (read.kind !== 'text') {
    const message = read.kind === 'garbled' ? `is ${read.fault.message}` : read.message;
    sink.push(
      diagnoseFile('E124', displayName(path, cwd), `the file of variables ${message}`, 'check --env-file'),
    );
    return null;
  }
  files.push({ path, digest: read.digest });
  return new Map([...parseVariables(read.source, sink), ...own]);
}

interface Evaluated {
  project: ResolvedProject | null;
  diagnostics: Diagnostic[];
}

async function evaluate(
  opened: Opened,
  profiles: readonly string[],
  settings: readonly string[],
  written: readonly string[] = [],
): Promise<Evaluated> {
  const sink = new DiagnosticSink();
  sink.push(...opened.diagnostics);
  const folder = dirname(opened.file);
  const overridden = applyOverrides(opened.composition, profiles, settings, sink);
  const { root: asWritten, secrets, env, broken } = interpolate(overridden, opened.variables, sink);
  // What a misspelt key holds is checked as what was meant, so that its absence causes no further errors.
  const root = asMeant(asWritten, sink);
  const invalid = validate(toData(root)) ? [] : reportSchemaErrors(validate.errors ?? [], root, broken, sink);
  const valid: Node = without(root, [...broken, ...invalid]);
  const resolved = resolveTree(withDerived(valid), folder, sink);
  const exists = (path: string) => {
    const place = resolve(folder, path);
    return written.includes(place) || existsSync(place);
  };
  checkProject(resolved.config as Draft<Project>, root, exists, sink);
  if (sink.hasErrors) return { project: null, diagnostics: sink.sorted() };
  // Nothing was reported, so the data is what the schema describes.
  const config = resolved.config as unknown as Project;
  await checkTargets(config, root, sink);
  const prompts = await checkPrompts(config, { root, folder, cwd: opened.cwd, sink });
  const diagnostics = sink.sorted();
  if (sink.hasErrors) return { project: null, diagnostics };
  const inputs = {
    files: [...opened.files, ...prompts],
    env: [...env].map(([name, value]) => ({ name, digest: value === null ? null : digestOf(value) })),
  };
  const project = {
    config,
    file: opened.file,
    folder,
    origins: resolved.origins,
    secrets,
    inputs,
    warnings: diagnostics,
    overlays: { profiles, set: settings },
  };
  return { project, diagnostics };
}
