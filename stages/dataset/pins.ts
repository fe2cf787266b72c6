/** Pins the sources of many instances: each distinct spec once, several at a time. */
import { mapLimit } from '../../basics/map-limit.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Draft } from '../../formats/draft.ts';
import { badRow } from '../../formats/row.ts';
import type { BadRow, Instance, PinnedSource } from '../../schemas/instance.ts';
import { type Infra, isFault } from '../../schemas/outcome.ts';
import type { AbsenceTally } from '../../tasks/source/absence-tally.ts';
import type { SourceDeps } from '../../tasks/source/deps.ts';
import type { SourceFault } from '../../tasks/source/fault.ts';
import { pinSource } from '../../tasks/source/pin.ts';

const PARALLEL = 8;

/** The instances of `drafts`, and the rows whose source does not exist, for `tally` too. One that cannot be asked is a fault. */
export async function pinDrafts(
  drafts: readonly Draft[],
  deps: SourceDeps,
  tally: AbsenceTally,
): Promise<Result<{ instances: Instance[]; bad: BadRow[] }, Infra>> {
  const specs = [...new Set(drafts.flatMap((draft) => [draft.source, draft.environment_source]))];
  const pins = new Map<string, Result<PinnedSource, SourceFault>>();
  await mapLimit(specs, PARALLEL, async (spec) => {
    pins.set(spec, await pinSource(spec, deps));
  });
  const instances: Instance[] = [];
  const bad: BadRow[] = [];
  for (const draft of drafts) {
    const [source, environment] = [pins.get(draft.source)!, pins.get(draft.environment_source)!];
    if (source.ok && environment.ok) {
      instances.push(instanceOf(draft, source.value, environment.value));
      continue;
    }
    const field = source.ok ? 'environment_source' : 'source';
    const problem = source.ok ? environment : source;
    if (problem.ok) continue;
    if (isFault(problem.fault)) return fault(problem.fault);
    tally.add(problem.fault);
    bad.push(badRow(draft.line, draft.instance_id, field, problem.fault.detail));
  }
  return success({ instances, bad });
}

/** Keys in the order of the type, so that equal instances are equal text. */
function instanceOf(draft: Draft, source: PinnedSource, environment_source: PinnedSource): Instance {
  const { instance_id, repo, environment_name, version, patch, patch_role, test_patch } = draft;
  const { test_files, tests_in_source } = draft;
  const { FAIL_TO_PASS, PASS_TO_PASS, problem_statement, hints_text, recipe, raw } = draft;
  return {
    instance_id,
    repo,
    source,
    environment_source,
    environment_name,
    version,
    patch,
    patch_role,
    test_patch,
    ...(test_files !== undefined && { test_files }),
    ...(tests_in_source !== undefined && { tests_in_source }),
    FAIL_TO_PASS,
    PASS_TO_PASS,
    problem_statement,
    hints_text,
    recipe,
    raw,
  };
}
