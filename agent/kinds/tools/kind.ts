/** Tools: a shell, an editor, and one that submits, as SWE-agent has them. */
import { success } from '../../../basics/result.ts';
import { type Action, commandOf } from '../../actions/action.ts';
import { refusing } from '../../actions/refusing.ts';
import { toolCallFormat } from '../../actions/tool-calls.ts';
import { xmlFunctionFormat } from '../../actions/xml-functions.ts';
import type { Loop, LoopRules } from '../../rules.ts';
import { v2 } from '../bash/v2.ts';
import { MODEL_LOOP } from '../keys.ts';
import type { AgentKind, Keys, LoopSettings } from '../kind.ts';
import { layered } from '../layered.ts';
import { blockedReason } from './blocklist.ts';
import { ALL_TOOLS, SUBMIT } from './definitions.ts';
import { CALLS, TICKS, XML } from './styles.ts';
import { toolsTemplates } from './texts.ts';

/** Work is submitted by a tool, and not by a command's output. */
const RULES: LoopRules = { ...v2.rules, submission: () => null };

export const toolsKind: AgentKind = {
  name: 'tools',
  summary: 'bash, str_replace_editor and submit, as SWE-agent’s XML function calls or as tool calls',
  docs: {
    works: '`bash`, `str_replace_editor`, `submit`',
    follows: 'SWE-agent, as SWE-agent-LM was trained',
  },
  keys: MODEL_LOOP,
  sweAgent: {
    parsers: {
      function_calling: { actions: 'tool-calls', action_regex: null },
      xml_function_calling: { actions: 'xml-functions', action_regex: null },
    },
    toolProblem: (hasEditor) =>
      hasEditor ? null : 'agents with function calls always have edit_anthropic here, and the file has not',
    adds: (_file, submit) => ({ submit }),
  },
  styles: { xml: XML, tools: CALLS, ticks: TICKS },

  settings(agent: Keys<typeof MODEL_LOOP>, file) {
    const asked = agent.actions ?? file.actions;
    const actions = asked === 'tool-calls' ? asked : 'xml-functions';
    const own = { dialect: 'v2', actions, action_regex: null, limits: v2.limits } as const;
    return success(layered(agent, file, { ...own, templates: toolsTemplates(actions) }));
  },

  problems({ actions }, isWritten) {
    if (actions === undefined || actions === 'tool-calls' || !isWritten('actions')) return [];
    return [
      {
        code: 'E132',
        key: 'actions',
        message: `agents of type tools call functions, which actions: ${actions} cannot express`,
        remedy: 'remove actions, write actions: tool-calls, or use type: bash',
      },
    ];
  },

  loop: toolsLoop,
  async run(input) {
    const { runRollout } = await import('../../loop.ts');
    return runRollout(input, toolsLoop(input.settings));
  },
};

function toolsLoop({ actions }: LoopSettings): Loop {
  // SWE-agent takes no more than one call in a reply.
  const format = actions === 'tool-calls' ? toolCallFormat(ALL_TOOLS, 'one') : xmlFunctionFormat(ALL_TOOLS);
  return {
    format: refusing(format, interactiveReason),
    rules: RULES,
    submit: { tool: SUBMIT.name, arguments: {} },
    async handler(input) {
      const { toolHandler } = await import('./handler.ts');
      return toolHandler(input.workspace, input.settings, input);
    },
  };
}

/** Interactive programs are refused before anything runs, as in SWE-agent. */
function interactiveReason(action: Action): string | null {
  return action.tool === 'bash' ? blockedReason(commandOf(action)) : null;
}
