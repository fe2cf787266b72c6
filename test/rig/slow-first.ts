/** The order of test files: those that take longest begin first, so that none of them is left alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of the quick suite and of the deep one, the longest first. What vitest remembers of earlier runs orders the others. */
export const SLOW = [
  'test/agent/outside/command.test.ts',
  'test/faults/pause.test.ts',
  'test/agent/outside/acp.test.ts',
  'test/scripts/ledger.test.ts',
  'test/executors/pool.test.ts',
  'test/cli/output-folder.test.ts',
  'test/grade/hindered.test.ts',
  'test/rollouts/hub-identity.test.ts',
  'test/rollouts/evidence.test.ts',
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
  'test/e2e/quickstart.deep.test.ts',
  'test/grade/matrix.deep.test.ts',
  'test/grade/attack-generator.deep.test.ts',
  'test/grade/runner.deep.test.ts',
  'test/cli/build.deep.test.ts',
  'test/grade/sources.deep.test.ts',
  'test/grade/honest-alternatives.deep.test.ts',
  'test/grade/honest.deep.test.ts',
  'test/environments/on-base.deep.test.ts',
  'test/faults/surroundings.deep.test.ts',
  'test/grade/statuses.deep.test.ts',
  'test/faults/command.deep.test.ts',
];

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = SLOW.findIndex((name) => moduleId.endsWith(`/${name}`));
      return index === -1 ? SLOW.length : index;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
