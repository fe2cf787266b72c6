/**
 * What a task's own patches change of the manifests: packages for that state are fetched while the environment is built, since
 * nothing is fetched when patches are graded.
 */
import type { EcosystemBuild } from './kind.ts';

/** The diff of the manifests, as steps find it. */
export const MANIFEST_DIFF = '/tmp/swemake-manifests.diff';
/** The manifests with it. The repository's own stay as they are. */
const PATCHED = '/tmp/swemake-patched';

/** Runs `command` on the manifests as the patches leave them, in a folder of its own. `digest`: of the diff. */
export function patchedCommand(digest: string, command: string): string {
  return [
    `set -e # manifests ${digest}`,
    `rm -rf ${PATCHED}; mkdir ${PATCHED}`,
    `(cd /testbed && tar --exclude=node_modules -cf - .) | tar -xf - -C ${PATCHED}`,
    `cd ${PATCHED}`,
    `git apply --whitespace=nowarn ${MANIFEST_DIFF} && end=0 || end=$?`,
    // What ended git otherwise says nothing of the patches.
    'if [ $end = 1 ] || [ $end = 128 ]',
    "then echo 'note: the patches of the task do not fit its manifests; no packages are fetched for them'; exit 0; fi",
    '[ $end = 0 ] || exit $end',
    command,
  ].join('\n');
}

/** Whether a file decides which packages are fetched. */
export function isManifestOf(build: EcosystemBuild, packages: readonly string[], path: string): boolean {
  return build.reads?.(path) === true || packages.some((file) => file.replace(/\?$/, '') === path);
}
