/** Whether the services beside the tests are still there when the tests have ended. */
import type { Workspace } from '../../executors/deployment.ts';
import type { Service } from '../../schemas/recipe.ts';
import { lostServices } from '../rules/services.ts';

/** Seconds to look at them. */
const LOOK_TIMEOUT = 30;

/** What became of them while the tests ran; empty if they are still there. */
export async function lostService(
  workspace: Workspace,
  services: readonly Service[],
  signal: AbortSignal,
): Promise<string> {
  if (services.length === 0) return '';
  const asked = await workspace.exec(lostServices(services), { timeout: LOOK_TIMEOUT, signal });
  return asked.ok ? asked.value.stdout.trim() : '';
}
