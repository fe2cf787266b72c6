/** Whether the services beside the tests are still there when the tests have ended. */
import type { Workspace } from '../../executors/deployment.ts';
import type { Service } from '../../schemas/recipe.ts';
import { lostServices } from '../rules/services.ts';

/** Seconds to look at them. */
const LOOK_TIMEOUT = 30;

/** How they ended while the tests ran; empty if they are still there. A look that fails does not show that they are. */
export async function lostService(
  workspace: Workspace,
  services: readonly Service[],
  signal: AbortSignal,
): Promise<string> {
  if (services.length === 0) return '';
  const asked = await workspace.exec(lostServices(services), { timeout: LOOK_TIMEOUT, signal });
  if (asked.ok && !asked.value.timedOut) return asked.value.stdout.trim();
  return `services could not be looked at in ${LOOK_TIMEOUT} s`;
}
