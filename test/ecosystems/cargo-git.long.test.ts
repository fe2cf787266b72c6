/**
 * Crates from git, for real: they are there without a network, those of the repository and those of the patched manifests. Needs a
 * toolchain of Rust that rustup installed.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../rig/command.ts';
import { Project } from '../rig/project.ts';
import { git, makeRepository } from '../tasks/source/helpers.ts';
import { diff } from './graded.ts';
import { RUST } from './machine-rust.ts';

const manifest = (branch: string) =>
  [
    '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]',
    `dep = { git = "file:///dep", branch = "${branch}" }\n`,
  ].join('\n');
const library = (sum: string) =>
  `pub fn sum() -> i32 { ${sum} }\n#[test]\nfn adds() { assert_eq!(sum(), dep::value() + 1) }\n`;

test.skipIf(RUST === null)(
  'both states have their crates in each of two caches, which are equal',
  async () => {
    const made = new Project();
    const crate = (value: number) => ({
      'Cargo.toml': '[package]\nname = "dep"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': `pub fn value() -> i32 { ${value} }\n`,
    });
    makeRepository(made.folder, 'dep', crate(1));
    git(join(made.folder, 'dep'), 'branch', 'old');
    makeRepository(made.folder, 'dep', crate(2));
    const files = { 'Cargo.toml': manifest('old'), 'src/lib.rs': library('7') };
    const [commit] = makeRepository(made.folder, 'repo', files);
    const code = (sum: string) => diff('src/lib.rs', files['src/lib.rs'], library(sum));
    const row = {
      ...{ repo: 'owner/m', source: `git+./repo@${commit}`, patch_role: 'fix', problem_statement: 'it adds' },
      ...{ test_patch: '', FAIL_TO_PASS: ['m::lib::adds'], PASS_TO_PASS: [] },
    };
    const rows = [
      { ...row, instance_id: 'same', patch: code('2') },
      {
        ...{ ...row, instance_id: 'other' },
        patch: code('3') + diff('Cargo.toml', files['Cargo.toml'], manifest('main')),
      },
    ];
    writeFileSync(made.path('rows.jsonl'), rows.map((one) => `${JSON.stringify(one)}\n`).join(''));
    writeFileSync(
      made.path('p.yaml'),
      `version: 1
name: git-crates
dataset:
  train: { source: rows.jsonl, format: custom }
environments:
  recipes: [{ match: {}, ecosystem: cargo, toolchain: { rust: "${RUST}" } }]
deployments:
  box:
    type: sandbox
    limits: { memory: 4GiB, pids: 512 }
    network: { build: proxy, grade: off }
    mounts: [{ from: dep, to: /dep }]
validation: { deployment: box, gold_runs: 2, timeout: 300s }
`,
    );
    const digests = [];
    for (const cache of ['one', 'two']) {
      const built = await command(made, 'build', 'p.yaml', 'filter', '--set', `cache.folder=${cache}`);
      process.stdout.write(built.stdout + built.stderr);
      const ended = made.events(cache).filter(({ type }) => type === 'item-finished');
      const of = (name: string) => ended.filter(({ stage }) => stage === name);
      expect(of('validate.train').map(({ item, outcome }) => [item, outcome])).toEqual(
        expect.arrayContaining(rows.map(({ instance_id }) => [instance_id, { status: 'ok' }])),
      );
      digests.push(
        of('environments.train')
          .map(({ item, record }) => [item, (record as { digest: string }).digest])
          .sort(),
      );
    }
    expect(digests[0]).toHaveLength(2);
    expect(digests[1]).toEqual(digests[0]);
  },
);
