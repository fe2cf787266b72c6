/**
 * Rust with cargo: a toolchain of this machine, crates from the local index as a folder of sources, and a warm folder of compiled
 * dependencies. Nothing of the project is in it, whose code at another state may be a task's solution: while environments are built,
 * the project is compiled as if all its files were empty.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { type EcosystemBuild, type EcosystemKind, type EcosystemStep, toolchainPlace } from '../kind.ts';
import {
  EMPTIED,
  fetchCrates,
  fetchMore,
  MANIFESTS,
  NOTE_LOCK,
  placeEmptier,
  warmUp,
  withoutProject,
} from './dependencies.ts';
import { CARGO_HINTS } from './hints.ts';
import { proposeCargo } from './propose.ts';
import { cargoTests } from './tests.ts';
import { placeCompiler } from './witness.ts';

const HOME = '/opt/env/cargo';
const TARGET = '/opt/env/target';

const build: EcosystemBuild = {
  steps({ packages, pre_install, install }: BuildRecipe): EcosystemStep[] {
    const step = (phase: EcosystemStep['phase'], name: string) => (command: string, index: number) => ({
      name: `${name}[${index}]`,
      phase,
      command: `set -e\n${command}`,
    });
    const clean = withoutProject(TARGET);
    return [
      ...[`${placeEmptier()}\n${placeCompiler()}`].map(step('create', 'create')),
      ...(packages.includes('Cargo.toml') ? [fetchCrates(HOME)] : []).map(step('dependencies', 'packages')),
      ...install.map((command) => `${warmUp(command)}\n${clean}`).map(step('dependencies', 'install')),
      ...pre_install.map(step('installation', 'pre_install')),
      ...install.map((command) => `${NOTE_LOCK}\n${command}\n${clean}`).map(step('installation', 'install')),
    ];
  },
  afterPatch: () => fetchMore(HOME),
  variables: ({ rust = '' }) => ({
    PATH: `${toolchainPlace('rust', rust)}/bin:${HOME}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    CARGO_HOME: HOME,
    CARGO_TARGET_DIR: TARGET,
    CARGO_NET_OFFLINE: 'true',
    // Its files are other ones in each build.
    CARGO_INCREMENTAL: '0',
    CARGO_TERM_COLOR: 'never',
  }),
  dialect: 'crates',
  stepVariables: { RUSTC_WRAPPER: EMPTIED, RUSTC_WORKSPACE_WRAPPER: EMPTIED },
  reads: (path) => MANIFESTS.test(path),
  start: [],
  listCommand: `cd ${HOME}/fetched 2> /dev/null && ls *.crate 2> /dev/null | sed -E 's/-([0-9]+\\..*)\\.crate$/@\\1/' || true`,
};

export const cargoEcosystem: EcosystemKind = {
  name: 'cargo',
  summary: 'Rust with cargo',
  sources: ['.rs'],
  manifests: ['Cargo.toml'],
  output: [{ marks: ['.rustc_info.json'], files: /^Cargo\.lock$/ }],
  toolchains: {
    rust: {
      from: 'folder',
      parents: ({ RUSTUP_HOME, HOME = homedir() }) => [
        join(RUSTUP_HOME || join(HOME, '.rustup'), 'toolchains'),
      ],
      parts: ['bin', 'lib', 'libexec'],
      program: 'rustc',
      option: '--version',
    },
  },
  recipe: {
    pip: [],
    packages: ['Cargo.toml', 'Cargo.lock?'],
    install: ['cargo test --no-run --workspace'],
    test: 'cargo test --workspace --no-fail-fast',
    parser: 'cargo-test',
  },
  propose: proposeCargo,
  hints: CARGO_HINTS,
  build,
  tests: cargoTests,
};
