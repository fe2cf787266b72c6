/** Builds an environment, and describes the result. */

import { canonicalJson } from '../../basics/canonical.ts';
import type { Digest } from '../../basics/digest.ts';
import { success } from '../../basics/result.ts';
import { LostOutput } from '../../cache/cache.ts';
import { inside } from '../../contract/machine.ts';
import type { ActionResult, OpenedItem } from '../../contract/stage.ts';
import type { Tools } from '../../contract/tools.ts';
import { type Attempt, type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import type { Output } from '../../schemas/record.ts';
import { type BuiltEnvironment, startOf } from '../../tasks/environment/view.ts';
import { packageLines } from '../../tasks/pins.ts';
import { CHECK_MARK } from '../../tasks/python/provider.ts';
import { ecosystemOf, variablesOf } from '../../tasks/toolchains/prepare.ts';
import { type Build, openBuild } from './build-step.ts';
import type { BuildTree } from './build-tree.ts';
import { environmentLayer } from './environment-layer.ts';
import { listPackages } from './list-packages.ts';
import { type Installation, makeDependencies, makeInstallation } from './phases.ts';
import type { BuildStep } from './steps.ts';

export async function build(job: Build, tools: Tools): Promise<ActionResult> {
  const dependencies = await makeDependencies(job, tools);
  if (!dependencies.ok) return { outcome: underLock(dependencies.fault, job.packages), outputs: {} };
  const notes = { dependencies: layerOutput(dependencies.value.layer) };
  const installed = await makeInstallation(job, dependencies.value, tools);
  if (!installed.ok) return { outcome: underLock(installed.fault, job.packages), outputs: {}, notes };
  const kept = await keep(installed.value, job, tools);
  return { ...kept, notes: { ...notes, ...kept.notes } };
}

/** A workspace after the last step that succeeded. Steps that are kept are not run again. */
export async function openAfterSteps(job: Build, tools: Tools): Attempt<OpenedItem> {
  const stops: { step: BuildStep; tree: BuildTree }[] = [];
  const watched: Build = { ...job, stopped: (step, tree) => void stops.push({ step, tree }) };
  const dependencies = await makeDependencies(watched, tools);
  const installed = dependencies.ok
    ? await makeInstallation(watched, dependencies.value, tools)
    : dependencies;
  const [stop] = stops;
  if (!installed.ok && stop === undefined) return installed;
  const tree = installed.ok ? installed.value.tree : stop!.tree;
  const opened = await openBuild(tree, job, tools);
  if (!opened.ok) return opened;
  const about = installed.ok ? [DONE] : stoppedAt(stop!.step, installed.fault);
  return success({ workspace: opened.value, about });
}

const DONE = 'All steps of the build ended well; /opt/env and /testbed are as they left them.';

function stoppedAt({ name, command }: BuildStep, outcome: Outcome): string[] {
  const detail = 'detail' in outcome ? outcome.detail : outcome.status;
  return [`The steps before ${name} are done. It did not end well: ${detail}`, `It was: ${command}`];
}

/** Stores what was built as the environment, and notes its packages. */
async function keep({ tree, repository }: Installation, job: Build, tools: Tools): Promise<ActionResult> {
  const noted = await noteState(tree, job, tools);
  if (!noted.ok) return { outcome: noted.fault, outputs: {} };
  const [list, check] = noted.value;
  const drift = packageDrift(job.packages, list);
  if (drift !== null) return { outcome: drift, outputs: {} };
  tools.log(`== pip check\n${check}\n`);
  const { entries, changed } = environmentLayer(repository, tree.entries);
  if (changed.length > 0) {
    tools.log(
      `== note: the installation changed files of the repository, which instances will not see: ${changed.join(', ')}\n`,
    );
  }
  const layer = await inside(tools.machine, 'cache').cache.layers.compose(entries);
  if (layer === null) throw new LostOutput('a file of an environment');
  const has = (path: string) => repository.some((entry) => entry.path === `testbed/${path}`);
  const built: BuiltEnvironment = {
    layer: layer.digest,
    python: job.recipe.python,
    interpreter: job.interpreter,
    variables: { ...variablesOf(job.recipe, has), ...job.recipe.env },
    ...ecosystemOutput(job),
    ...startOf(job.recipe),
    ...(job.base === undefined ? {} : { base: job.base }),
  };
  return {
    outcome: { status: 'ok' },
    outputs: {
      environment: tools.store(canonicalJson(built)),
      layer: layerOutput(layer.digest),
      ...Object.fromEntries(
        Object.entries(job.toolchains).map(([name, digest]) => [
          `${TOOLCHAIN_OUTPUT}${name}`,
          layerOutput(digest),
        ]),
      ),
    },
    notes: {
      'pip freeze': tools.store(list),
      'pip check': tools.store(check),
      size: tools.store(canonicalJson({ files: layer.files, bytes: layer.bytes })),
    },
  };
}

/** Before the name of a toolchain, in the name of the output that is its layer. */
export const TOOLCHAIN_OUTPUT = 'toolchain ';

/** What only environments of other ecosystems than Python have. */
function ecosystemOutput({ recipe, toolchains }: Build): Pick<BuiltEnvironment, 'ecosystem' | 'toolchains'> {
  const ecosystem = ecosystemOf(recipe);
  return ecosystem === null ? {} : { ecosystem, toolchains: Object.values(toolchains) };
}

function layerOutput(digest: Digest): Output {
  return { kind: 'layer', digest };
}

/** Notes the output of `pip freeze` and `pip check`. */
async function noteState(tree: BuildTree, job: Build, tools: Tools): Attempt<[string, string]> {
  const opened = await openBuild(tree, job, tools);
  if (!opened.ok) return opened;
  try {
    const listed = await listPackages(opened.value, job.python.listCommand, { signal: tools.signal });
    if (!listed.ok) return listed;
    const [list = '', check = ''] = listed.value.split(`${CHECK_MARK}\n`);
    return success([list, check]);
  } finally {
    await opened.value.close();
  }
}

/**
 * A build that fails with the packages of the lock might succeed without them, so its failure is not the recipe's
 * answer.
 */
function underLock(outcome: Outcome, locked: readonly string[] | null): Outcome {
  if (locked === null || outcome.status !== 'failed') return outcome;
  const detail = `it was built when it was locked, and now it cannot be: ${outcome.detail}`;
  return infra('lock-drift', `${detail}; to go on with what there is now, lock again`);
}

/** A fault when the environment does not hold what the lock file says. */
function packageDrift(locked: readonly string[] | null, freeze: string): Infra | null {
  if (locked === null) return null;
  const built = packageLines(freeze);
  const gone = locked.filter((line) => !built.includes(line)).map((line) => `- ${line}`);
  const come = built.filter((line) => !locked.includes(line)).map((line) => `+ ${line}`);
  if (gone.length + come.length === 0) return null;
  const detail = [...gone, ...come].join(', ');
  return infra('lock-drift', `its packages are not those of the lock file: ${detail}`);
}
