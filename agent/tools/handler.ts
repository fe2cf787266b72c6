/**
 * Runs the actions of agents with tools: a shell that keeps its working folder, the editor, and submitting after a
 * review of the diff.
 */
import { randomBytes } from 'node:crypto';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Workspace, WorkspaceKilled, WorkspaceLost } from '../../executors/deployment.ts';
import { shellWord } from '../../grading/shell.ts';
import type { Infra } from '../../schemas/outcome.ts';
import {
  type ActionHandler,
  type ActionOutput,
  type Limit,
  MAX_OUTPUT,
  outputOf,
  toolOutput,
} from '../action-handler.ts';
import type { Action } from '../actions/action.ts';
import { workspaceDiff } from '../finish.ts';
import type { Beginning } from '../rollout.ts';
import type { AgentSettings } from '../settings.ts';
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
  const submit = new Submit(workspace, beginning, settings.submit?.review ?? [REVIEW]);
  return {
    run: (action: Action, limit: Limit) => {
      if (action.tool === 'submit') return submit.run(limit);
      if (action.tool === 'str_replace_editor') return editor.run(action.arguments, limit);
      return shell.run(String(action.arguments.command), limit);
    },
  };
}

/** Models that were trained with one long-lived shell rely on `cd`. Other state of the shell is not kept. */
class Shell {
  #cwd: string;
  readonly #note = `/tmp/.swemake-cwd-${randomBytes(4).toString('hex')}`;

  constructor(
    private readonly workspace: Workspace,
    private readonly settings: Pick<AgentSettings, 'env' | 'cwd'>,
  ) {
    this.#cwd = settings.cwd;
  }

  async run(command: string, { seconds, signal }: Limit): Promise<Done> {
    const { env, cwd } = this.settings;
    const moves = /\b(cd|pushd|popd)\b/.test(command);
    const script = [
      ...(this.#cwd === cwd ? [] : [`cd -- ${shellWord(this.#cwd)} 2>/dev/null`]),
      ...(moves ? [`trap 'pwd > ${this.#note}' EXIT`] : []),
      command,
    ].join('\n');
    const ran = await this.workspace.exec(script, {
      cwd,
      env,
      timeout: seconds,
      signal,
      maxOutput: MAX_OUTPUT,
    });
    if (!ran.ok) return ran;
    const lost = moves ? await this.#follow() : null;
    return lost !== null ? fault(lost) : success(outputOf(ran.value, null));
  }

  /** If the file with the folder cannot be read, the working folder stays the same. */
  async #follow(): Promise<WorkspaceLost | null> {
    const noted = await this.workspace.read(this.#note);
    if (!noted.ok && noted.fault.status !== 'refused') return noted.fault;
    const path = noted.ok
      ? Buffer.from(noted.value ?? '')
          .toString()
          .replace(/\n$/, '')
      : '';
    if (path.startsWith('/')) this.#cwd = path;
    return null;
  }
}

/** Each call shows what would be submitted, with one text of `reviews`. The call after the last text submits. */
class Submit {
  #shown = 0;

  constructor(
    private readonly workspace: Workspace,
    private readonly beginning: Beginning,
    private readonly reviews: readonly string[],
  ) {}

  async run({ signal }: Limit): Promise<Done> {
    const taken = await workspaceDiff(this.workspace, this.beginning, signal);
    if (!taken.ok) return taken;
    const { diff, problem } = taken.value;
    const review = this.reviews[this.#shown++];
    if (review === undefined) return success(toolOutput(diff, 0, diff));
    const shown = (problem ?? diff).replace(/\n$/, '');
    return success(toolOutput(review.replaceAll(/\{\{\s*diff\s*\}\}/g, () => shown)));
  }
}

const REVIEW = `Before your work is handed in, look it over once more:

1. If you changed code after you last ran your script, run it again, and mend what fails.
2. Remove your script and everything else that you made for yourself.
3. If you changed tests, put them back with \`git checkout -- path/of/the/test.py\`.
4. Call submit again; that hands in.

These are all your changes:

<diff>
{{diff}}
</diff>
`;
