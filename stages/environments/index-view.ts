/** The package index that a build sees: its date, its address, and what the log says about it. */
import { canonicalJson } from '../../basics/canonical.ts';
import { success } from '../../basics/result.ts';
import { HOST_SERVICES, inside } from '../../contract/machine.ts';
import type { ActionResult } from '../../contract/stage.ts';
import type { Tools } from '../../contract/tools.ts';
import type { Network } from '../../executors/deployment.ts';
import type { PinnedSource } from '../../schemas/instance.ts';
import type { Attempt } from '../../schemas/outcome.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { type Moment, momentFor } from '../../tasks/index/moment.ts';
import { sourceDepsOf } from '../../tasks/source/instance-source.ts';

export interface IndexView extends Moment {
  /** URLs that replace the host's indexes. */
  urls: readonly (string | null)[];
  /** The build's result, with notes about the index. The log gets them too. */
  noted(result: ActionResult): ActionResult;
}

export async function viewIndex(
  recipe: BuildRecipe,
  source: PinnedSource,
  network: Network,
  tools: Tools,
): Attempt<IndexView> {
  const services = inside(tools.machine, ...HOST_SERVICES);
  const index = services.packageIndex;
  // Channels of conda that are folders need no network, and are seen as of the moment, too.
  const isSeen = network !== 'off' || services.config.environments.python.channels.length > 0;
  if (index === undefined || !isSeen)
    return success({ asOf: null, because: null, urls: [], noted: (result) => result });
  const moment = await momentFor(recipe, source, { index, git: sourceDepsOf(services) });
  if (!moment.ok) return moment;
  const { asOf, because } = moment.value;
  const since = performance.now();
  const noted = (result: ActionResult): ActionResult => {
    if (recipe.as_of === undefined) return result;
    const notes = index.notes(asOf, since);
    tools.log(`== index as of ${asOf ?? 'now'}${because === null ? '' : `: ${because}`}\n`);
    for (const { project, text } of notes) tools.log(`== note: ${project}: ${text}\n`);
    if (result.outcome.status !== 'ok') return result;
    const text = tools.store(canonicalJson({ as_of: asOf, because, notes }));
    return { ...result, notes: { ...result.notes, index: text } };
  };
  return success({ asOf, because, urls: await index.urls(network, asOf), noted });
}
