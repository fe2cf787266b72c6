/**
 * Runs the actions of agents with tools: a shell that keeps its working folder, the editor, and submitting after a
 * review of the diff.
 */
import { type Result, success } from '../../../basics/result.ts';
import type { Workspace, WorkspaceKilled } from '../../../executors/deployment.ts';
import type { Infra } from '../../../schemas/outcome.ts';
import {
  type ActionHandler,
  type ActionOutput,
  type Limit,
  outputOf,
  toolOutput,
} from '../../action-handler.ts';
import type { Action } from '../../actions/action.ts';
import { workspaceDiff } from '../../finish.ts';
import type { Beginning } from '../../rollout.ts';
import type { AgentSettings } from '../../settings.ts';
import { Shell } from '../../shell.ts';
import { Editor } from './editor.ts';
import { Files } from './files.ts';

type Done = Result<ActionOutput, Infra | WorkspaceKilled>;

export function toolHandler(
  workspace: Workspace,
  settings: Pick<AgentSettings, 'env' | 'cwd' | 'submit'>,
  beginning: Beginning,
): ActionHandler {
  const shell = new Shell(workspace, settings);
  const editor = new Editor(new Files(workspace), settings.cwd);
  const submit = new Submit(workspace, beginning, settings.submit?.review ?? null);
  return {
    run: async (action: Action, limit: Limit) => {
      if (action.tool === 'submit') return submit.run(limit);
      if (action.tool === 'str_replace_editor') return editor.run(action.arguments, limit);
      const ran = await shell.run(String(action.arguments.command), limit);
      return ran.ok ? success(outputOf(ran.value, null)) : ran;
    },
  };
}

/** Each call shows what would be submitted, with one text of `reviews`. The call after the last text submits. */
class Submit {
  #shown = 0;

  constructor(
    private readonly workspace: Workspace,
    private readonly beginning: Beginning,
    private readonly reviews: readonly string[] | null,
  ) {}

  async run({ signal }: Limit): Promise<Done> {
    const taken = await workspaceDiff(this.workspace, this.beginning, signal);
    if (!taken.ok) return taken;
    const { diff, problem } = taken.value;
    const review = (this.reviews ?? [REVIEW])[this.#shown++];
    if (review === undefined) return success(toolOutput(diff, 0, diff));
    const changes = problem ?? diff;
    const shown = this.reviews === null ? changes.replace(/\n$/, '') : withShortNames(changes);
    return success(toolOutput(review.replaceAll(/\{\{\s*diff\s*\}\}/g, () => shown)));
  }
}

const REVIEW = `Before your work is handed in, look it over once more:

1. If you changed code after you last ran your script, run it again, and mend what fails.
2. Remove your script and everything else that you made for yourself.
3. If you changed tests, put them back with \`git checkout -- path/of/the/test\`.
4. Call submit again; that hands in.

These are all your changes:

<diff>
{{diff}}
</diff>
`;

/** As `git diff` shows them. */
function withShortNames(diff: string): string {
  return diff.replace(/^index ([0-9a-f]{7})[0-9a-f]*\.\.([0-9a-f]{7})[0-9a-f]*/gm, 'index $1..$2');
}
