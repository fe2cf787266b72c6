/**
 * The engine that a program of the host starts containers on by itself, such as an official harness: how much it has, and the
 * variables that lead there. It may be another machine, whose processors are not those of this one.
 */
import { success } from '../basics/result.ts';
import type { ResolvedConfig } from '../contract/config.ts';
import type { EngineOf } from '../contract/machine.ts';
import { deploymentKinds, type ExecutorKind, type WorkspaceKind } from '../executors/kind.ts';

/** How a kind says what engine it uses; null: it uses none. */
function engineOf(kind: ExecutorKind | undefined): NonNullable<WorkspaceKind['engine']> | null {
  return kind?.opens === 'workspaces' ? (kind.engine ?? null) : null;
}

/** @param deployment Null: the engine that programs find by themselves. A value of null: there is none to ask. */
export function createEngines(
  kinds: readonly ExecutorKind[],
  config: ResolvedConfig,
  env: NodeJS.ProcessEnv,
): EngineOf {
  const known = deploymentKinds(kinds);
  return async (deployment) => {
    const named = deployment === null ? undefined : config.deployments[deployment];
    const own = named === undefined ? null : engineOf(known.get(named.type));
    if (named !== undefined && own !== null) return own(named, env);
    const any = [...known.values()].map(engineOf).find((engine) => engine !== null);
    const found = await any?.({}, env);
    return found?.ok ? found : success(null);
  };
}
