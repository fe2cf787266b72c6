/** Everything that the checks of one instance need, put together for validation and for grading alike. */
import type { Deployment, EnvironmentView, Limits, Network } from '../../executors/deployment.ts';
import type { LogParser } from '../../grading/parsers/registry.ts';
import { findParser } from '../../grading/parsers/registry.ts';
import { type Protection, protectionOf } from '../../grading/protect.ts';
import { testCommand } from '../../grading/test-command.ts';
import type { Instance } from '../../schemas/instance.ts';
import type { Infra, Outcome } from '../../schemas/outcome.ts';
import type { ActionRecord } from '../../schemas/record.ts';
import { fault, type Result, success } from '../../schemas/result.ts';
import { type CatalogueRow, readInstance } from '../dataset/catalogue.ts';
import type { TestRecipe } from '../environments/recipe.ts';
import { environmentView, readEnvironment } from '../environments/view.ts';
import { type FirstState, firstState } from '../first-state/first-state.ts';
import type { ActionContext } from '../stage.ts';
import type { WorkSettings } from '../surroundings.ts';

/** Everything that the checks of one instance have in common. */
export interface CheckSetup {
  deployment: Deployment;
  environment: EnvironmentView;
  /** What every check begins with. */
  state(): Promise<Result<FirstState, Infra | Outcome>>;
  instance: Instance;
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
  log(text: string): void;
}

export interface SetupRequest {
  row: CatalogueRow;
  tests: TestRecipe;
  settings: WorkSettings;
  timeout: number;
  /** Further files that a patch may not change. */
  protect: readonly string[];
  dataset: ActionRecord;
  environment: ActionRecord;
  /** It passed validation, so its source could be had then. */
  isValidated?: boolean;
}

/** Fetches what the checks need; a fault, or an answer when the instance cannot be checked at all. */
export async function prepareChecks(
  request: SetupRequest,
  context: ActionContext,
): Promise<Result<CheckSetup, Infra | Outcome>> {
  const { row, tests, settings } = request;
  if (request.environment.outcome.status !== 'ok')
    return fault(environmentFailed(request.environment.outcome));
  const parser = findParser(tests.parser);
  if (parser === null) {
    const detail = `there is no log parser "${tests.parser}"`;
    return fault({ status: 'failed', reason: 'invalid-row', detail });
  }
  const deployment = await context.deployment(settings.deployment);
  if (!deployment.ok) return deployment;
  const instance = await readInstance(request.dataset, row, context);
  const built = await readEnvironment(request.environment, context);
  const view = await environmentView(built, context, settings.deployment);
  if (!view.ok) return view;
  const { isValidated } = request;
  const { limits } = settings;
  const place = { instance, environment: view.value, deployment: deployment.value, limits, isValidated };
  return success({
    deployment: deployment.value,
    environment: view.value,
    state: () => firstState(place, context, context.log),
    instance,
    evalCommands: tests.eval_commands,
    testCommand: testCommand(tests.test, instance),
    parser,
    protection: protectionOf(instance, tests.test, request.protect),
    limits: settings.limits,
    network: settings.network,
    timeout: request.timeout,
    signal: context.signal,
    log: context.log,
  });
}

function environmentFailed(outcome: Outcome): Outcome {
  const detail = 'detail' in outcome ? outcome.detail : outcome.status;
  return { status: 'failed', reason: 'environment-failed', detail };
}
