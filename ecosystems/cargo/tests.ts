/** How tests of Rust are run, which files decide what they come to, and what a failed build says. */
import { complaintIn } from '../complaint.ts';
import type { EcosystemFile, EcosystemTests } from '../kind.ts';
import { chosenTests, isOpenCommand, withoutRun } from './commands.ts';
import { COMPILER, cargoWitness } from './witness.ts';

export const cargoTests: EcosystemTests = {
  command: (test, instance) => (isOpenCommand(test) ? `${test}${chosenTests(instance)}` : test),
  /** The same binaries as the tests', with the witness in them, so that the tests compile nothing. */
  buildCommand({ test }, instance) {
    return withoutRun(cargoTests.command(test, instance));
  },
  compiling: { variables: { RUSTC_WORKSPACE_WRAPPER: COMPILER }, programs: [COMPILER] },
  complaint(output) {
    const lines = output.split('\n');
    const errors = lines.flatMap((line, at) => {
      if (!/^error(?:\[E\d+\])?: /.test(line) || /^error: could not compile/.test(line)) return [];
      const place = /^ *--> (\S+)/.exec(lines[at + 1] ?? '')?.[1];
      return [place === undefined ? line : `${place}: ${line}`];
    });
    return complaintIn(output, errors);
  },
  protects,
  witness: cargoWitness,
};

/** Modules that hold tests by their names, and what they share. */
const TEST_MODULE = /^(?:tests?|test_\w+|\w+_tests?|testing|testutils?)\.rs$/;
const RUNNER = /^(?:Cargo\.toml|Cargo\.lock|build\.rs|rust-toolchain(?:\.toml)?|rustfmt\.toml)$/;

function protects(path: string): EcosystemFile | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (RUNNER.test(name) || /(?:^|\/)\.(?:cargo|config)\//.test(path)) return 'runner';
  if (/(?:^|\/)(?:tests?|test_helpers|testing|testutils?|benches)\//.test(path) || TEST_MODULE.test(name))
    return 'test';
  return /(?:^|\/)(?:testdata|fixtures|snapshots)\//.test(path) ? 'support' : null;
}
