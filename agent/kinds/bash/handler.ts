/** Runs the shell commands of an agent. */
import { success } from '../../../basics/result.ts';
import type { Workspace } from '../../../executors/deployment.ts';
import { type ActionHandler, outputOf } from '../../action-handler.ts';
import type { LoopRules } from '../../rules.ts';
import type { AgentSettings } from '../../settings.ts';
import { MAX_OUTPUT, Shell } from '../../shell.ts';

/** Each command begins in the same folder, or, with `keeps_folder`, where the one before ended. */
export function shellHandler(
  workspace: Workspace,
  settings: Pick<AgentSettings, 'env' | 'cwd' | 'keeps_folder'>,
  { submission }: Pick<LoopRules, 'submission'>,
): ActionHandler {
  const shell = settings.keeps_folder === true ? new Shell(workspace, settings) : null;
  const { env, cwd } = settings;
  return {
    run: async (action, limit) => {
      const command = String(action.arguments.command);
      const options = { cwd, env, timeout: limit.seconds, signal: limit.signal, maxOutput: MAX_OUTPUT };
      const ran = await (shell?.run(command, limit) ?? workspace.exec(command, options));
      if (!ran.ok) return ran;
      const { output, exitCode } = ran.value;
      return success(outputOf(ran.value, submission(command, output, exitCode)));
    },
  };
}
