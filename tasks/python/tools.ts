/**
 * The tools folder of a host: seed wheels and uv, brought there once and shown read-only in every workspace.
 * They come from the package index, or from this machine where it has exactly the pinned version. Each folder is named by
 * the digest of all that makes it; what was fetched lies apart, so that another script beside it fetches nothing anew.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, copyFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { canonicalJson, type Json } from '../../basics/canonical.ts';
import { digestOf } from '../../basics/digest.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { complaintOf, hasSucceeded, runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra, isFault } from '../../schemas/outcome.ts';
import type { IndexFile, PackageIndex } from '../source/package-index.ts';
import type { Interpreter } from './interpreter.ts';
import { RATTLER_VERSION, type Seeds, UV_VERSION } from './pins.ts';
import { discardDamaged, makeOnce } from './whole-folder.ts';

export interface ToolsDeps {
  /** Kept between runs. */
  toolsFolder: string;
  index: PackageIndex;
  signal?: AbortSignal;
}

/** Seconds. */
const UNPACK_TIMEOUT = 60;

/** The folder with the wheels of `seeds`; made when it is not there. */
export async function seedFolder(
  seeds: Seeds,
  interpreter: Interpreter,
  deps: ToolsDeps,
): Promise<Result<string, Infra>> {
  return makeOnce(toolFolder('seeds', { seeds }, deps), async (folder) => {
    for (const [project, version] of Object.entries(seeds)) {
      const filename = `${project}-${version}-py3-none-any.whl`;
      const got = await getSeed(project, filename, folder, interpreter, deps);
      if (!got.ok) return got;
    }
    return success(undefined);
  });
}

/**
 * `uv pip install` without a trace of when it ran: uv notes times of source files beside each package, to tell
 * when to install it again. Compiles what is new, where uv would compile the whole environment each time. Finds uv beside
 * itself, because workspaces may show the folder anywhere.
 */
const UV_INSTALL = `#!/bin/sh
UV_COMPILE_BYTECODE=0 "\${0%/*}/uv" pip install "$@"
code=$?
find "$VIRTUAL_ENV/lib" -path '*.dist-info/uv_cache.json' | while IFS= read -r note; do
  record="\${note%/*}/RECORD"
  grep -v '\\.dist-info/uv_cache\\.json,' "$record" > "$record.new"
  mv "$record.new" "$record"
  rm "$note"
done
"$VIRTUAL_ENV/bin/python" -I "\${0%/*}/compile_new.py" "$VIRTUAL_ENV/lib"
exit $code
`;

/**
 * Installs the project in the folder that it is called in. One without a pyproject.toml is left to pip: that runs its setup.py
 * by the setuptools of the environment, where uv would take the newest.
 *
 * An editable install starts the project's builder several times. It may keep compiled files, which takes a third less time, but
 * they hold times: those in the project are removed. Without -e they could get into the wheel, so none are kept; nor where
 * the project brings some of its own.
 */
const UV_PROJECT = `#!/bin/sh
if [ ! -f pyproject.toml ]; then exec python -m pip install "$@"; fi
case " $* " in *" -e "*) ;; *) exec "\${0%/*}/install" "$@" ;; esac
if [ -n "$(find . \\( -name __pycache__ -o -name '*.pyc' \\) -print -quit)" ]; then exec "\${0%/*}/install" "$@"; fi
unset PYTHONDONTWRITEBYTECODE
"\${0%/*}/install" "$@"
code=$?
find . -name __pycache__ -prune -exec rm -rf {} +
exit $code
`;

/** The folder that holds the program `uv`, and `install` and `project`, which take what `pip install` takes. */
export async function uvFolder(interpreter: Interpreter, deps: ToolsDeps): Promise<Result<string, Infra>> {
  const scripts = {
    install: UV_INSTALL,
    project: UV_PROJECT,
    'compile_new.py': ownProgram('compile_new.py'),
  };
  const inputs = { uv: UV_VERSION, machine: machine(), scripts };
  return makeOnce(toolFolder('uv', inputs, deps), async (folder) => {
    const unpacked = join(folder, 'unpacked');
    const fetched = await unpackFetched(
      { project: 'uv', version: UV_VERSION, choose: uvWheel },
      unpacked,
      interpreter,
      deps,
    );
    if (!fetched.ok) return fetched;
    const data = readdirSync(unpacked).find((name) => name.endsWith('.data')) ?? '';
    const program = join(unpacked, data, 'scripts', 'uv');
    if (!existsSync(program))
      return fault(infra('tool-missing', `the wheel of uv ${UV_VERSION} has no program`));
    await rename(program, join(folder, 'uv'));
    await chmod(join(folder, 'uv'), 0o755);
    for (const [name, text] of Object.entries(scripts)) {
      await writeFile(join(folder, name), text);
      await chmod(join(folder, name), 0o755);
    }
    await rm(unpacked, { recursive: true });
    return success(undefined);
  });
}

/** The folder with conda's solver and `conda_install.py`, which runs it; `interpreter` is who runs that. */
export async function solverFolder(
  interpreter: Interpreter,
  deps: ToolsDeps,
): Promise<Result<string, Infra>> {
  const script = ownProgram('conda_install.py');
  const inputs = { rattler: RATTLER_VERSION, machine: machine(), script };
  return makeOnce(toolFolder('rattler', inputs, deps), async (folder) => {
    const wanted = { project: 'py-rattler', version: RATTLER_VERSION, choose: solverWheel };
    const fetched = await unpackFetched(wanted, join(folder, 'packages'), interpreter, deps);
    if (fetched.ok) await writeFile(join(folder, 'conda_install.py'), script);
    return fetched;
  });
}

/** Where a tool lies that is made of `inputs`. */
function toolFolder(name: string, inputs: Json, { toolsFolder }: ToolsDeps): string {
  return join(toolsFolder, `${name}-${digestOf(canonicalJson(inputs)).slice(0, 16)}`);
}

/** A cache may be used by several machines. */
function machine(): string {
  return `${process.platform} ${process.arch}`;
}

function ownProgram(name: string): string {
  return readFileSync(join(packageRoot(), 'tasks/python', name), 'utf8');
}

interface WantedWheel {
  project: string;
  version: string;
  choose(files: IndexFile[]): IndexFile | null;
}

/** Unpacks a wheel that is fetched once. One that was damaged since is fetched again the next time. */
async function unpackFetched(
  { project, version, choose }: WantedWheel,
  into: string,
  interpreter: Interpreter,
  deps: ToolsDeps,
): Promise<Result<void, Infra>> {
  const inputs = { project, version, machine: machine() };
  const wheel = await makeOnce(toolFolder('wheel', inputs, deps), async (folder) => {
    const files = await deps.index.files(project, deps.signal);
    if (!files.ok) return fault(asInfra(files.fault.detail, files.fault));
    const file = choose(files.value);
    if (file === null)
      return fault(infra('tool-missing', `the package index has no ${project} ${version} for this machine`));
    const got = await deps.index.download(file, join(folder, file.filename), deps.signal);
    return got.ok ? success(undefined) : got;
  });
  if (!wheel.ok) return wheel;
  const name = readdirSync(wheel.value).find((one) => one.endsWith('.whl'));
  const unpacked =
    name === undefined
      ? fault(infra('tool-missing', `the wheel of ${project} ${version} is gone`))
      : await unpackWheel(join(wheel.value, name), into, interpreter);
  if (!unpacked.ok) await discardDamaged(wheel.value);
  return unpacked;
}

function solverWheel(files: IndexFile[]): IndexFile | null {
  const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  const name = `py_rattler-${RATTLER_VERSION}-cp310-abi3-manylinux`;
  return files.find(({ filename }) => filename.startsWith(name) && filename.includes(machine)) ?? null;
}

async function getSeed(
  project: string,
  filename: string,
  folder: string,
  interpreter: Interpreter,
  deps: ToolsDeps,
): Promise<Result<void, Infra>> {
  const bundled = bundledWheel(filename, interpreter);
  if (bundled !== null) {
    await copyFile(bundled, join(folder, filename));
    return success(undefined);
  }
  const files = await deps.index.files(project, deps.signal);
  if (!files.ok) return fault(asInfra(files.fault.detail, files.fault));
  // Old releases serve Python 2 as well and say so in the name.
  const names = [filename, filename.replace('-py3-none-', '-py2.py3-none-')];
  const file = files.value.find((candidate) => names.includes(candidate.filename));
  if (file === undefined) return fault(infra('tool-missing', `the package index has no ${filename}`));
  const got = await deps.index.download(file, join(folder, file.filename), deps.signal);
  if (!got.ok) return got;
  await chmod(join(folder, file.filename), 0o644);
  return success(undefined);
}

/** ensurepip carries a pip, Debian keeps its wheels in a folder of their own. */
function bundledWheel(filename: string, interpreter: Interpreter): string | null {
  const folders = [join(interpreter.library, 'ensurepip', '_bundled'), '/usr/share/python-wheels'];
  return folders.map((folder) => join(folder, filename)).find((path) => existsSync(path)) ?? null;
}

/** On Linux the musl build: it is static, and runs on any distribution. */
function uvWheel(files: IndexFile[]): IndexFile | null {
  const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  const tags =
    process.platform === 'darwin'
      ? [`macosx_.*_${process.arch === 'arm64' ? 'arm64' : 'x86_64'}`]
      : [`musllinux_.*_${machine}`, `manylinux_.*_${machine}`];
  for (const tag of tags) {
    const pattern = new RegExp(`^uv-${UV_VERSION.replaceAll('.', '\\.')}-py3-none-.*${tag}.*\\.whl$`);
    const found = files.find((file) => pattern.test(file.filename));
    if (found !== undefined) return found;
  }
  return null;
}

async function unpackWheel(
  archive: string,
  into: string,
  interpreter: Interpreter,
): Promise<Result<void, Infra>> {
  const argv = [interpreter.executable, '-I', '-m', 'zipfile', '-e', archive, into];
  const end = await runProgram({
    argv: argv as [string, ...string[]],
    env: { LANG: 'C.UTF-8' },
    timeout: UNPACK_TIMEOUT,
  });
  if (hasSucceeded(end)) return success(undefined);
  return fault(infra('tool-missing', `${basename(archive)} could not be unpacked: ${complaintOf(end)}`));
}

function asInfra(detail: string, original: { status: string }): Infra {
  return isFault(original) ? (original as Infra) : infra('tool-missing', detail);
}
