/** How tests of Rust are run, which files decide what they come to, and what a failed build says. */
import { complaintIn } from '../complaint.ts';
import type { EcosystemFile, EcosystemTests, RepositoryFiles } from '../kind.ts';
import { chosenTests, isOpenCommand, listedTests, withoutRun } from './commands.ts';
import { cargoDoubts } from './doubts.ts';
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
  named: async (task) => (await import('./named.ts')).cargoNamed(task, protects),
  hides,
  doubts: cargoDoubts,
  // Examples of the documentation.
  unseen: /^[^:]+::doc::/,
  witness: cargoWitness,
};

/** Modules that hold tests by their names, and what they share. */
const TEST_MODULE = /^(?:tests?|test_\w+|\w+_tests?|testing|testutils?)\.rs$/;
/** The last one is insta's, which can say that every snapshot passes. */
const RUNNER =
  /^(?:Cargo\.toml|Cargo\.lock|build\.rs|rust-toolchain(?:\.toml)?|rustfmt\.toml|\.?insta\.ya?ml)$/;

function protects(path: string): EcosystemFile | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (RUNNER.test(name) || /(?:^|\/)\.(?:cargo|config)\//.test(path)) return 'runner';
  if (/(?:^|\/)(?:tests?|test_helpers|testing|testutils?|benches)\//.test(path) || TEST_MODULE.test(name))
    return 'test';
  return /(?:^|\/)(?:testdata|fixtures|snapshots)\//.test(path) ? 'support' : null;
}

/**
 * Files of integration tests, with their modules where they have a folder. Tests inside of `src` are in the code or a module of it, and a
 * file that a manifest names is missed by cargo itself: these stay.
 */
function hides(failing: readonly string[], { paths, read }: RepositoryFiles): string[] {
  const sources = listedTests(failing).flatMap((one) => (one === null ? [] : [one.source]));
  const named = [...new Set(sources)].filter((source) => source.startsWith('tests/'));
  const isNamed = (path: string, source: string) => path === `${source}.rs` || path.endsWith(`/${source}.rs`);
  return named.flatMap((source) => {
    const [name = ''] = source.slice('tests/'.length).split('/', 1);
    const roots = paths.filter((path) => {
      if (!isNamed(path, source)) return false;
      const manifest = read(`${path.slice(0, -`${source}.rs`.length)}Cargo.toml`);
      return !testsOf(manifest).includes(name) && !manifest.includes(`${source}.rs`);
    });
    const folders = roots.flatMap((path) =>
      path.endsWith('/main.rs') ? [path.slice(0, -'main.rs'.length)] : [],
    );
    return paths.filter((path) => roots.includes(path) || folders.some((folder) => path.startsWith(folder)));
  });
}

/** Names in the `[[test]]` sections of a manifest. */
function testsOf(manifest: string): string[] {
  const sections = manifest.split(/^(?=\[)/m).filter((section) => /^\[\[test\]\]/.test(section));
  return sections.flatMap((section) => /^name\s*=\s*["']([^"']+)/m.exec(section)?.[1] ?? []);
}
