/** What types have in common that follow a script: a shell as the default dialect has it. They depend on no key of an agent. */
import { success } from '../../basics/result.ts';
import type { AgentConfig } from '../../schemas/generated/project.ts';
import { bashKind, runShell, shellLoop } from './bash/kind.ts';
import { v2, v2Templates } from './bash/v2.ts';
import type { AgentKind } from './kind.ts';
import { FULL, VARIABLES } from './layered.ts';

export const SCRIPTED = {
  keys: {},
  styles: bashKind.styles,
  settings: ({ type }: Pick<AgentConfig, 'type'>) =>
    success({
      type,
      dialect: 'v2',
      actions: 'fence',
      action_regex: null,
      templates: v2Templates('fence'),
      limits: { ...v2.limits, steps: 0, command: 600 },
      context: FULL,
      env: VARIABLES,
      cwd: '/testbed',
    }),
  loop: shellLoop,
  run: runShell,
} satisfies Partial<AgentKind>;
