/** Test files that take long: they begin first, and CI runs one of three parts of the deep ones at each commit. */

/** Files of the quick suite, the longest first. What vitest remembers of earlier runs orders the others. */
const SLOW = [
  'test/scripts/ledger.test.ts',
  'test/executors/pool.test.ts',
  'test/cli/output-folder.test.ts',
  'test/executors/pauses.test.ts',
  'test/servers/agent/agent.test.ts',
  'test/executors/sandbox.test.ts',
  'test/executors/host-memory.test.ts',
  'test/grade/left-running.test.ts',
  'test/grade/services.test.ts',
  'test/cli/doctor.test.ts',
  'test/executors/process.test.ts',
  'test/servers/pool.test.ts',
  'test/trainers/chain.test.ts',
  'test/grade/keys-stolen.test.ts',
];

/** Files of the deep suite that take about a minute or more, the longest first. */
export const SLOW_DEEP = [
  'test/e2e/quickstart.deep.test.ts',
  'test/environments/on-base.deep.test.ts',
  'test/agents/layers.deep.test.ts',
  'test/cli/build.deep.test.ts',
  'test/faults/command.deep.test.ts',
  'test/contract/leaves.deep.test.ts',
  'test/tasks/python/provider.deep.test.ts',
  'test/grade/attack-generator.deep.test.ts',
  'test/grade/matrix.deep.test.ts',
  'test/grade/runner.deep.test.ts',
  'test/grade/honest-alternatives.deep.test.ts',
  'test/environments/recipes.deep.test.ts',
  'test/faults/surroundings.deep.test.ts',
  'test/agent/outside/command.deep.test.ts',
  'test/rehearsal/rehearse.deep.test.ts',
  'test/tasks/mutation/mutate-command.deep.test.ts',
  'test/cli/lock.deep.test.ts',
  'test/cli/why.deep.test.ts',
  'test/grade/equal-workspaces.deep.test.ts',
  'test/grade/sources.deep.test.ts',
  'test/grade/honest-runners.deep.test.ts',
  'test/grade/honest-code.deep.test.ts',
  'test/cli/accept.deep.test.ts',
  'test/faults/pause.deep.test.ts',
  'test/executors/new-kind.deep.test.ts',
  'test/faults/storm.deep.test.ts',
  'test/filter/sections.deep.test.ts',
  'test/cli/mine.deep.test.ts',
  'test/grade/statuses.deep.test.ts',
  'test/agent/outside/acp.deep.test.ts',
  'test/grade/honest.deep.test.ts',
  'test/executors/local.deep.test.ts',
  'test/grade/trial-start.deep.test.ts',
  'test/rollouts/hub-identity.deep.test.ts',
  'test/ui/page.deep.test.ts',
  'test/rollouts/evidence.deep.test.ts',
  'test/servers/failures.deep.test.ts',
  'test/grade/hindered.deep.test.ts',
];

/** The order of both. */
export const FIRST = [...SLOW, ...SLOW_DEEP];
