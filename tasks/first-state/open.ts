/** A workspace on a first state, which stays there until the workspace is closed. */

import type { Result } from '../../basics/result.ts';
import type { Deployment, EnvironmentView, OpenOptions, Workspace } from '../../executors/deployment.ts';
import type { Infra } from '../../schemas/outcome.ts';
import type { FirstState } from './first-state.ts';

export async function openOnState(
  state: Pick<FirstState, 'view' | 'release'>,
  environment: EnvironmentView,
  deployment: Deployment,
  options: OpenOptions,
): Promise<Result<Workspace, Infra>> {
  let opened: Result<Workspace, Infra> | null = null;
  try {
    opened = await deployment.open(environment, state.view, options);
  } finally {
    if (opened?.ok !== true) state.release();
  }
  if (!opened.ok) return opened;
  const workspace = opened.value;
  const close = workspace.close.bind(workspace);
  workspace.close = () => close().finally(state.release);
  return opened;
}
