/** Puts together everything that the checks of one instance need, for validation and for grading alike. */

import { readdir } from 'node:fs/promises';
import { whenAbsent } from '../../basics/absent.ts';
import { fault, success } from '../../basics/result.ts';
import { shellWord } from '../../basics/shell.ts';
import { HOST_SERVICES, inside } from '../../contract/machine.ts';
import type { ItemResult } from '../../contract/reader.ts';
import type { Tools } from '../../contract/tools.ts';
import type { Work } from '../../contract/work.ts';
import type { EcosystemTests } from '../../ecosystems/kind.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import {
  type Deployment,
  type EnvironmentView,
  ISOLATIONS,
  isIsolatedEnough,
  type Limits,
  type Network,
} from '../../executors/deployment.ts';
import type { RunAlone } from '../../executors/hindrance.ts';
import { findParser, type LogParser } from '../../parsers/registry.ts';
import { withListedTests } from '../../patches/test-files.ts';
import type { Instance } from '../../schemas/instance.ts';
import { type Attempt, failed, infra, type Outcome } from '../../schemas/outcome.ts';
import { DEFAULT_ECOSYSTEM, type RowTests, type Service } from '../../schemas/recipe.ts';
import { hostPathsOf } from '../../tasks/environment/host-paths.ts';
import { type BuiltEnvironment, environmentView, readEnvironment } from '../../tasks/environment/view.ts';
import { type FirstState, firstState } from '../../tasks/first-state/first-state.ts';
import { fetchInstanceSource } from '../../tasks/source/instance-source.ts';
import { type RowScript, readRowScript, withoutDocuments } from '../logs/row-script.ts';
import { testCommand } from '../logs/test-command.ts';
import { toxPrograms } from '../logs/tox-programs.ts';
import type { IntegrityBaseline } from '../rules/integrity.ts';
import { namedBySettings, type Protection, type ProtectionContext, protectionOf } from '../rules/protect.ts';
import { pluginPackages } from '../rules/runner-packages.ts';
import { commandsOf } from '../rules/services.ts';
import { taskFiles } from './task-files.ts';
import { packageFolders, type Recorder } from './witness.ts';

/** Everything that the checks of one instance have in common. */
export interface CheckSetup {
  deployment: Deployment;
  environment: EnvironmentView;
  /** What every check begins with. */
  state(): Attempt<FirstState>;
  instance: Instance;
  /** Run when a workspace is opened. */
  start: readonly string[];
  /** Run beside the tests. */
  services: readonly Service[];
  /** How tests are run and judged; absent: as Python's. */
  ecosystem?: EcosystemTests | null;
  /** The ecosystem's witness does not watch the tests: results are what they print. Absent: it does. */
  isUnwitnessed?: boolean;
  /** Toolchains by their names; absent: none. */
  toolchain?: Readonly<Record<string, string>>;
  /** Compiles what the tests need, between patch and tests; absent: nothing is compiled. `timeout` in seconds. */
  build?: { command: string; timeout: number } | null;
  /** Run before the tests, in the same shell. */
  evalCommands: readonly string[];
  testCommand: string;
  parser: LogParser;
  protection: Protection;
  limits: Limits;
  network: Network;
  /** Seconds for the test command. */
  timeout: number;
  signal: AbortSignal;
  alone: RunAlone;
  /** Only the task's own patches are checked, and no model's; absent: any. */
  trusted?: boolean;
  /** One check is all that can be made; absent: any number can. */
  isSingle?: boolean;
  /** Recorders beside those that the witness always has; default: none. */
  record?: readonly Recorder[];
  /** Python is another build than in the gold runs, so digests of code say nothing; default: it is the same. */
  isOtherBuild?: boolean;
  log(text: string): void;
}

export interface PreparedChecks extends CheckSetup {
  /** The command and the context of which `protection` was made. Tasks that are graded elsewhere need both. */
  protectedBy: { command: string; context: ProtectionContext };
}

export interface SetupRequest {
  instance: Instance;
  tests: RowTests;
  work: Work;
  timeout: number;
  /** Further files that a patch may not change. */
  protect: readonly string[];
  environment: ItemResult;
  /** What validation knows of the task's runner and of what its tests read; absent: nothing. */
  baseline?: IntegrityBaseline | null;
  /** The instance passed validation, so its source was available then. A source that is missing now is an infra fault. */
  isValidated?: boolean;
}

/** Fetches what the checks need. The fault is infra for the machine, and failed for an instance that cannot be checked. */
export async function prepareChecks(
  request: SetupRequest,
  { machine, signal, log, alone }: Tools,
): Attempt<PreparedChecks> {
  const { instance, tests, work, environment, baseline = null, isValidated } = request;
  const services = inside(machine, ...HOST_SERVICES);
  if (environment.outcome.status !== 'ok') return fault(environmentFailed(environment.outcome));
  const parser = findParser(tests.parser);
  if (parser === null) return fault(failed('invalid-row', `there is no log parser "${tests.parser}"`));
  const deployment = await services.deployment(work.deployment);
  if (!deployment.ok) return deployment;
  const built = await readEnvironment(environment, services);
  const view = await environmentView(built, services, work);
  if (!view.ok) return view;
  const background = tests.background ?? [];
  const hosts = background.flatMap(({ hosts: named = [] }) => named);
  if (hosts.length > 0) {
    const identity = await services.deploymentIdentity(work.deployment);
    if (!identity.ok) return identity;
    if (!isIsolatedEnough(identity.value.isolation, ISOLATIONS.at(-1)!))
      return fault(infra('tool-missing', hostsNeedFence(hosts)));
  }
  const source = await fetchInstanceSource(instance.source, services, isValidated);
  if (!source.ok) return source;
  const named = built.ecosystem?.ecosystem;
  const ecosystem = ecosystemNamed(named ?? DEFAULT_ECOSYSTEM).tests;
  const commands = testCommands(instance, tests, hasConda(built), ecosystem);
  if (commands === null) return fault(failed('invalid-row', 'the column eval_script has no test command'));
  const { limits, network } = work;
  const place = {
    ...{ instance, environment: view.value, ecosystem: named },
    ...{ deployment: deployment.value, limits, isValidated },
  };
  const command = withoutDocuments(commands.testCommand);
  const known: ProtectionContext = {
    globs: request.protect,
    evalCommands: [...commandsOf(background), ...commands.evalCommands.map(withoutDocuments)],
    files: await taskFiles(source.value),
    plugins: baseline === null ? null : pluginPackages(baseline),
    reads: baseline?.reads ?? null,
    installed: await installedModules(view.value),
  };
  const context: ProtectionContext =
    ecosystem === null
      ? known
      : {
          ...known,
          protects: ecosystem.protects,
          lists: ecosystem.lists,
          ...(await namedBySettings(instance, command, known, ecosystem)),
        };
  return success({
    deployment: deployment.value,
    environment: view.value,
    state: () => firstState(place, services, log),
    instance,
    start: built.start ?? [],
    services: background,
    ecosystem,
    isUnwitnessed: tests.witness === 'none',
    toolchain: built.ecosystem?.toolchain ?? {},
    build: buildOf(instance, tests, ecosystem),
    ...commands,
    parser,
    protection: protectionOf(instance, command, context),
    protectedBy: { command, context },
    limits,
    network,
    timeout: request.timeout,
    signal,
    alone,
    log,
  });
}

/** Top names of the modules in the environment's own folders of packages. */
async function installedModules(environment: EnvironmentView): Promise<string[]> {
  const packages = await packageFolders(environment);
  const folders = packages.flatMap((folder) => hostPathsOf(folder, environment));
  const names = await Promise.all(folders.map((folder) => readdir(folder).catch(whenAbsent<string[]>([]))));
  const modules = names.flat().flatMap((name) => /^(\w+)(?:\.py|\.[\w.-]+\.so)?$/.exec(name)?.[1] ?? []);
  return [...new Set(modules)];
}

/** What is run before the tests and as the tests; null where the row's script has nothing to run. */
function testCommands(
  instance: Instance,
  { eval_script: script, eval_commands: evalCommands, test }: RowTests,
  isConda: boolean,
  ecosystem: EcosystemTests | null,
): RowScript | null {
  if (script !== undefined)
    return readRowScript(script, { testPatch: instance.test_patch, hasConda: isConda });
  if (ecosystem !== null)
    return { evalCommands, testCommand: ecosystem.command(test, withListedTests(instance)) };
  const programs = isConda ? [] : toxPrograms(test);
  return { evalCommands: [...programs, ...evalCommands], testCommand: testCommand(test, instance) };
}

/** What is compiled between patch and tests: the recipe's commands, or what the ecosystem compiles by itself. */
function buildOf(
  instance: Instance,
  tests: RowTests,
  ecosystem: EcosystemTests | null,
): { command: string; timeout: number } | null {
  const own = tests.build?.join('\n') ?? null;
  const command = own ?? ecosystem?.buildCommand(tests, withListedTests(instance)) ?? null;
  const lines = ['set -e', ...compilingLines(ecosystem), command];
  return command === null ? null : { command: lines.join('\n'), timeout: tests.build_timeout ?? 0 };
}

/** Lines of a shell for what an ecosystem compiles with. */
export function compilingLines(ecosystem: EcosystemTests | null): string[] {
  const variables = Object.entries(ecosystem?.compiling?.variables ?? {});
  return variables.map(([name, value]) => `export ${name}=${shellWord(value)}`);
}

/** conda's own `testbed`, as an image brings it; a virtual environment has nothing for conda to activate. */
function hasConda({ base }: BuiltEnvironment): boolean {
  return base?.place?.endsWith('/envs/testbed') === true;
}

function environmentFailed(outcome: Outcome): Outcome {
  return failed('environment-failed', 'detail' in outcome ? outcome.detail : outcome.status);
}

function hostsNeedFence(hosts: readonly string[]): string {
  return `recipe key background: the host names ${hosts.join(', ')} work only in a sandbox`;
}
