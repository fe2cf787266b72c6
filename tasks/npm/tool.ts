/**
 * npm as builds run it: that of the Node that swemake runs on, copied once and shown read-only in workspaces, also in those on another
 * root than the machine's.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { copyFile, cp, mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { canonicalJson } from '../../basics/canonical.ts';
import { digestOf } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { HostServices } from '../../contract/machine.ts';
import type { QuestionKind } from '../../contract/question.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { makeOnce } from '../python/whole-folder.ts';

/** Where workspaces show it. */
const INSIDE = '/opt/swemake/node';

/** A bash function `npm`, and a PATH with its Node, for scripts of packages. */
export const NPM_PRELUDE = [
  `export PATH=${INSIDE}/bin:$PATH`,
  `npm() { ${INSIDE}/bin/node ${INSIDE}/lib/node_modules/npm/bin/npm-cli.js "$@"; }`,
].join('\n');

/** The npm of this machine. */
export const NPM: QuestionKind<null, { node: string; npm: string }> = {
  name: 'npm',
  changes: false,
  async answer(_, { env }) {
    const found = findNpm(env);
    return found.ok ? success({ node: process.version, npm: found.value.version }) : found;
  },
};

interface FoundNpm {
  /** The folder of the package. */
  folder: string;
  version: string;
}

/** npm beside the Node that runs this, else the one on PATH. */
export function findNpm(env: NodeJS.ProcessEnv): Result<FoundNpm, Infra> {
  const beside = join(dirname(dirname(realpathSync(process.execPath))), 'lib', 'node_modules', 'npm');
  const onPath = (env.PATH ?? '').split(delimiter).flatMap((folder) => {
    const path = join(folder, 'npm');
    return folder !== '' && existsSync(path) ? [dirname(dirname(realpathSync(path)))] : [];
  });
  for (const folder of [beside, ...onPath]) {
    const version = versionOf(folder);
    if (version !== null) return success({ folder, version });
  }
  return fault(
    infra(
      'tool-missing',
      `there is no npm beside ${process.execPath} nor on PATH, which agents of npm’s registry are installed with; this provides it: install Node with its npm, such as from nodejs.org`,
    ),
  );
}

/** null: it is no npm that can be copied. Distributions spread theirs over several folders. */
function versionOf(folder: string): string | null {
  try {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
      string,
      string
    >;
    return name === 'npm' && existsSync(join(folder, 'node_modules')) ? (version ?? null) : null;
  } catch (error) {
    return error instanceof SyntaxError ? null : whenAbsent(null)(error);
  }
}

/** What a workspace mounts to have it. */
export async function npmMount({
  env,
  cache,
}: HostServices): Promise<Result<{ from: string; to: string }, Infra>> {
  const found = findNpm(env);
  if (!found.ok) return found;
  const inputs = {
    node: process.version,
    npm: found.value.version,
    machine: `${process.platform} ${process.arch}`,
  };
  const folder = join(cache.folder.tools, `npm-${digestOf(canonicalJson(inputs)).slice(0, 16)}`);
  const made = await makeOnce(folder, async (into) => {
    await mkdir(join(into, 'bin'));
    await copyFile(process.execPath, join(into, 'bin', 'node'));
    await cp(found.value.folder, join(into, 'lib', 'node_modules', 'npm'), {
      recursive: true,
      dereference: true,
    });
    return success(undefined);
  });
  return made.ok ? success({ from: made.value, to: INSIDE }) : made;
}
