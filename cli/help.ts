/** The page of `swemake --help`. */
import type { CommandIo } from '../app/io.ts';
import { shown } from '../app/shown.ts';
import { fullVersion } from '../app/version.ts';

const LINES: readonly [string, string][] = [
  ['init [FILE]', 'write a project to begin with'],
  ['build PROJECT [TARGET…]', 'make targets; run what is new or changed'],
  ['plan PROJECT [TARGET…]', 'say what a build would do, and why'],
  ['why ITEM…', 'why an item would run, or last ran: what changed, and where'],
  ['retry PROJECT [TARGET…]', 'run failed, flaky and timed-out items again'],
  ['lock PROJECT', 'pin branches, versions and images of a project, and the packages of its environments'],
  ['accept ITEM…', 'use an old answer, or a ready environment, without running the item'],
  ['check FILE…', 'check project files'],
  ['rehearse PROJECT', 'what an RL training would train, in minutes and without a GPU'],
  ['show PROJECT', 'print the resolved project and where each value came from'],
  ['graph [PROJECT]', 'print the stage graph: text, mermaid or dot'],
  ['status [PROJECT]', 'the progress of a project'],
  ['view ITEM…', 'a rollout step by step, with its diff and its verdict'],
  ['ui [PROJECT]', 'a page in the browser: every instance and rollout, live'],
  ['report PROJECT --html FILE', 'the results of a project, as one page and figures'],
  ['logs ITEM…', 'the log of an item'],
  ['shell ITEM', 'try commands in the workspace of an environment or an instance'],
  ['export TARGET…', 'rollouts as the files of other tools'],
  ['push TARGET', 'data for training, with its card, to a dataset of the Hugging Face hub'],
  ['verify [PROJECT]', 'whether the cache can be trusted; repair it'],
  ['cache export|import', 'answers of a project as one file, signed'],
  ['keygen FILE', 'a key that signs answers of a remote cache, or of an archive'],
  ['gc [PROJECT]', 'remove unneeded files from the cache'],
  ['doctor [PROJECT]', 'what this machine can do, and what it lacks'],
  ['serve node|pool', 'serve workspaces over HTTP, on this machine or over many'],
  ['serve agent', 'serve whole rollouts over HTTP, for trainers'],
  ['serve agents', 'one address for agent servers on many machines'],
  ['serve model PROJECT', 'serve the model of a project to agents elsewhere, and keep samples of it'],
  ['images [PROJECT]', 'container images of instances: list them, or fetch them on all machines of a fleet'],
  ['nodes [PROJECT]', 'the machines of a fleet: health, places, leases'],
  ['worker JOB SHARD', 'one job of a build on a cluster; the cluster calls it'],
  ['mutate PACKAGE==VERSION', 'make new instances from a package on an index'],
  ['mine REPO', 'make new instances from the history of a repository'],
  ['import-recipes', 'recipes from the tables of an installed benchmark'],
  ['completion SHELL', 'a script for completion in bash, zsh or fish'],
  ['grade-log LOG', 'parse and grade a test log by hand'],
];

export function mainHelp(): string {
  const width = Math.max(...LINES.map(([usage]) => usage.length));
  const commands = LINES.map(([usage, what]) => `  ${usage.padEnd(width)}  ${what}`).join('\n');
  return `Usage: swemake COMMAND

make for SWE-agent training: one YAML to validated tasks, and a rerun that redoes only what changed.

Commands:
${commands}

First steps:
  swemake init                       write a project for rows or a repository of yours
  swemake doctor                     what this machine can do
  swemake check project.yaml         find mistakes before they cost time
  swemake build project.yaml         make everything; the same again does only what changed

Every command has --help with examples, and those that print results have --json.
Documentation: docs/README.md in the folder where swemake is installed.
Exit codes: 0 made, 1 a target could not be made, 2 the project file or the arguments are wrong,
3 infrastructure, 130 interrupted, 141 the reader of the output ended first.
`;
}

export function answerVersion(io: CommandIo): number {
  io.stdout.write(shown(`swemake ${fullVersion()}\n`));
  return 0;
}
