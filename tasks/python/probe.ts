/**
 * Asks a Python executable what it is, once: the answer is remembered under the files' stat signatures and the code that asked, so that
 * a later run spawns nothing.
 */

import { statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { whenAbsent, whenHidden } from '../../basics/absent.ts';
import { buildId } from '../../basics/build-id.ts';
import { digestOf } from '../../basics/digest.ts';
import { jsonObject } from '../../basics/json.ts';
import { runProgram } from '../../basics/program.ts';
import { digestOfFile } from '../../cache/blobs.ts';

/** Remembers answers between runs; the values are plain JSON text. */
export interface Memo {
  get(key: string): string | undefined | Promise<string | undefined>;
  set(key: string, value: string): void | Promise<void>;
}

export interface PythonFacts {
  /** Full version, such as "3.11.7". */
  version: string;
  /** The base interpreter's file, links resolved, even when a virtual environment's python was asked. */
  executable: string;
  prefix: string;
  /** Implementation, version and a digest of the build; the same on every machine that has the same build. */
  identity: string;
  hasVenv: boolean;
  /** Folder of the standard library. */
  library: string;
}

/** Seconds. */
const PROBE_TIMEOUT = 10;

/** Modules that every start of Python imports if they are in its standard library. No build of Python brings them. */
const STARTUP = ['sitecustomize', 'usercustomize'].flatMap((name) => [`${name}.py`, `${name}/__init__.py`]);

/** Runs with -I and -S, so that variables and site-packages of the host have no effect. Understood by Python 3.4+. */
const QUESTION = `
import json, os, sys, sysconfig
config = sysconfig.get_config_var
lib = config("INSTSONAME") if config("Py_ENABLE_SHARED") else None
stdlib = os.path.dirname(os.__file__)
print(json.dumps({
  "implementation": sys.implementation.name,
  "version": "%d.%d.%d" % sys.version_info[:3] + ("" if sys.version_info[3] == "final" else sys.version_info[3]),
  "executable": getattr(sys, "_base_executable", None) or sys.executable,
  "prefix": sys.base_prefix,
  "shared": lib and os.path.join(config("LIBDIR") or "", lib),
  "abi": [config("SOABI"), sysconfig.get_platform(), sys.version],
  "venv": os.path.isdir(os.path.join(stdlib, "venv")),
  "library": stdlib,
}))`;

interface ProbeAnswer {
  implementation: string;
  version: string;
  executable: string;
  prefix: string;
  shared: string | null;
  abi: unknown;
  venv: boolean;
  library: string;
}

interface Remembered {
  /** File -> its stat signature when it was asked. */
  files: Record<string, string>;
  facts: PythonFacts | null;
}

/** What the executable at `path` is; null when it is no working CPython 3. */
export async function probePython(
  path: string,
  env: NodeJS.ProcessEnv,
  memo: Memo,
): Promise<PythonFacts | null> {
  const signature = signatureOf(path);
  if (signature === null) return null;
  const key = `python ${digestOf(`${buildId()}\0${path}\0${signature}`)}`;
  const remembered = parse(await memo.get(key));
  if (remembered !== null) return remembered.facts;
  const answer = await ask(path, env);
  if (answer === undefined) return null;
  const facts = answer === null ? null : await factsOf(answer);
  const files = [
    path,
    ...(facts === null ? [] : [facts.executable]),
    ...(answer?.shared ? [answer.shared] : []),
    ...(answer == null ? [] : STARTUP.map((name) => join(answer.library, name))),
  ];
  const signatures = Object.fromEntries(files.map((file) => [file, signatureOf(file) ?? 'absent']));
  const value: Remembered = { files: signatures, facts };
  await memo.set(key, JSON.stringify(value));
  return facts;
}

/** A remembered answer counts while none of the interpreter's files has changed. */
function parse(text: string | undefined): Remembered | null {
  if (text === undefined) return null;
  const value = JSON.parse(text) as Remembered;
  const isSame = Object.entries(value.files).every(([file, was]) => (signatureOf(file) ?? 'absent') === was);
  return isSame ? value : null;
}

/** The answer; null when this is no Python to use, undefined when it could not be asked to the end. */
async function ask(path: string, env: NodeJS.ProcessEnv): Promise<ProbeAnswer | null | undefined> {
  const scrubbed = { PATH: env.PATH, HOME: env.HOME, LC_ALL: 'C.UTF-8' };
  const argv = [path, '-I', '-S', '-c', QUESTION];
  const end = await runProgram({ argv, env: scrubbed, cwd: '/', timeout: PROBE_TIMEOUT });
  if (end.kind !== 'exited') return undefined;
  return end.exitCode === 0 ? parseAnswer(end.stdout) : null;
}

function parseAnswer(stdout: string): ProbeAnswer | null {
  const answer = jsonObject<ProbeAnswer>(stdout);
  return answer?.implementation === 'cpython' ? answer : null;
}

async function factsOf(answer: ProbeAnswer): Promise<PythonFacts> {
  const executable = await realpath(answer.executable);
  const shared = answer.shared === null ? null : await realpath(answer.shared).catch(whenAbsent(null));
  const digests = [await digestOfFile(executable), shared === null ? null : await digestOfFile(shared)];
  const build = digestOf(JSON.stringify([answer.abi, ...digests]));
  return {
    version: answer.version,
    executable,
    prefix: await realpath(answer.prefix),
    identity: `${answer.implementation} ${answer.version} ${build}${await startupOf(answer.library)}`,
    hasVenv: answer.venv,
    library: answer.library,
  };
}

/** Code that the machine's owner added to the standard library and that each start runs; empty: there is none. */
async function startupOf(library: string): Promise<string> {
  const found: string[] = [];
  for (const name of STARTUP) {
    const path = join(library, name);
    if (signatureOf(path) !== null) found.push(name, await digestOfFile(path));
  }
  return found.length === 0 ? '' : ` startup ${digestOf(JSON.stringify(found))}`;
}

/** Null: it is no file, or this user may not read its folder, since PATH may be another user's. */
function signatureOf(path: string): string | null {
  try {
    const stat = statSync(path, { bigint: true });
    return stat.isFile() ? `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}` : null;
  } catch (error) {
    return whenHidden(null)(error);
  }
}
