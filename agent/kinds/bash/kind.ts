/** A shell: each reply asks for one command, as in mini-swe-agent and, with dialect swe-rl, in OpenClaw-RL. */
import { fault, success } from '../../../basics/result.ts';
import type { AgentConfig } from '../../../schemas/generated/project.ts';
import { bashAction } from '../../actions/action.ts';
import { BASH } from '../../actions/definitions.ts';
import { BASH_FENCE, FENCE, markedFormat, readsMarks, TAG } from '../../actions/fence.ts';
import { refusing } from '../../actions/refusing.ts';
import { toolCallFormat } from '../../actions/tool-calls.ts';
import type { AgentFile } from '../../agent-file.ts';
import { printedPatch } from '../../printed-patch.ts';
import type { RolloutInput } from '../../rollout.ts';
import type { Loop } from '../../rules.ts';
import type { AgentSettings } from '../../settings.ts';
import { MARKER } from '../../submission.ts';
import { MODEL_LOOP } from '../keys.ts';
import type { AgentKind, Keys, LoopSettings, Slice } from '../kind.ts';
import { layered } from '../layered.ts';
import { callForm, tickForm } from '../styles.ts';
import type { Dialect } from './dialect.ts';
import { sweRl } from './swe-rl.ts';
import { FENCE_MARKS, v2, v2Templates } from './v2.ts';

const DIALECTS: Record<AgentConfig['dialect'], Dialect> = { v2, 'swe-rl': sweRl };

const KEYS = {
  dialect: {
    description:
      'The agent’s loop. v2: that of mini-swe-agent 2. swe-rl: that of OpenClaw-RL’s swe-rl, for models that were trained with it.',
    type: 'string',
    enum: Object.keys(DIALECTS),
    'x-noun': 'dialect',
    default: 'v2',
    examples: ['swe-rl'],
  },
  action_regex: {
    description:
      'Regular expression (JavaScript, flags su) whose first group is the command, with actions: fence. Absent: that of the dialect.',
    type: 'string',
    examples: ['```bash\\s*\\n(.*?)\\n```'],
  },
  ...MODEL_LOOP,
} satisfies Slice;

/** A shell function `submit`, which submits as the texts of SWE-agent's files say. */
const SUBMIT_COMMAND = { 'BASH_FUNC_submit%%': `() { echo ${MARKER}; }` };

export const bashKind: AgentKind = {
  name: 'bash',
  summary: 'one shell command a turn, as in mini-swe-agent',
  docs: { works: 'one shell command per reply', follows: 'mini-swe-agent 2, or swe-rl (`dialect`)' },
  keys: KEYS,
  sweAgent: {
    parsers: { single_bash_code_block: { actions: 'fence', action_regex: BASH_FENCE } },
    toolProblem: (hasEditor) =>
      hasEditor ? 'edit_anthropic goes with function_calling or xml_function_calling here' : null,
    adds: ({ env }) => ({ env: { ...env, ...SUBMIT_COMMAND }, keeps_folder: true }),
  },
  styles: {
    ticks: tickForm(
      FENCE,
      FENCE_MARKS,
      ({ tool, arguments: given }) => (tool === BASH.name ? String(given.command) : null),
      () => v2Templates('fence'),
    ),
    tools: callForm([BASH], () => v2Templates('tool-calls')),
  },

  settings(agent: Keys<typeof KEYS>, file) {
    const dialect = DIALECTS[agent.dialect];
    const actions = actionsOf(agent, dialect, file);
    const ofFile = agent.actions === undefined && dialect.fitsFiles ? file.action_regex : null;
    const regex = actions === 'fence' ? (agent.action_regex ?? ofFile) : null;
    const wrong = regex === null ? null : regexProblem(regex);
    if (wrong !== null) return fault(wrong);
    const { limits } = dialect;
    const own = { dialect: agent.dialect, actions, action_regex: regex, limits };
    const settings = layered(agent, file, { ...own, templates: dialect.templates(actions, regex) });
    const printed = dialect.fitsFiles ? printedPatch(settings.templates.instance, settings.cwd) : null;
    return success(printed === null ? settings : { ...settings, printed_patch: printed });
  },

  problems({ dialect, actions }, isWritten) {
    const isFenced = actions === undefined || actions === 'fence';
    const calls = dialect !== undefined && !DIALECTS[dialect].readsToolCalls && actions === 'tool-calls';
    return [
      ...(calls && (isWritten('dialect') || isWritten('actions'))
        ? [
            {
              code: 'E132',
              key: isWritten('actions') ? 'actions' : 'dialect',
              message: `dialect ${dialect} reads no tool calls`,
              remedy: 'use actions: fence, or dialect: v2',
            },
          ]
        : []),
      ...(isFenced || !isWritten('action_regex')
        ? []
        : [
            {
              code: 'W202',
              key: 'action_regex',
              message: 'action_regex has no effect: it is for actions: fence',
              remedy: 'remove it',
              at: 'key' as const,
            },
          ]),
    ];
  },

  /** The texts of v2 adapt to an expression that reads one of the usual marks, so they are named only when it reads none. */
  misleadingTexts({ dialect, actions, action_regex: regex, templates }) {
    if (regex === null) return [];
    const { showing, shownFor, templates: textsOf } = DIALECTS[dialect];
    const shown = shownFor(regex);
    if (shown !== null && readsMarks(regex, shown)) return [];
    const own = textsOf(actions, regex);
    return showing.filter((name) => templates[name] === own[name]);
  },

  loop: shellLoop,
  run: runShell,
};

/** The loop of agents that have a shell and nothing else. */
export function shellLoop({ dialect, actions, action_regex: regex }: LoopSettings): Loop {
  const { rules, fence, count } = DIALECTS[dialect];
  const marked = markedFormat(actions === 'xml' ? TAG : (regex ?? fence), count);
  return {
    format: refusing(actions === 'tool-calls' ? toolCallFormat([BASH]) : marked),
    rules,
    submit: bashAction(`echo ${MARKER}`),
    async handler({ workspace, settings }) {
      const { shellHandler } = await import('./handler.ts');
      return shellHandler(workspace, settings, rules);
    },
  };
}

/** One rollout of such an agent. */
export async function runShell(input: RolloutInput) {
  const { runRollout } = await import('../../loop.ts');
  return runRollout(input, shellLoop(input.settings));
}

/** A file's format is used where it fits the dialect, and not beside an expression of the project, which reads a fence. */
function actionsOf(
  { actions, action_regex: regex }: Keys<typeof KEYS>,
  { fitsFiles }: Dialect,
  file: AgentFile,
): AgentSettings['actions'] {
  return actions ?? (fitsFiles && regex === undefined ? file.actions : null) ?? 'fence';
}

function regexProblem(regex: string): string | null {
  try {
    new RegExp(regex, 'su');
    return null;
  } catch (error) {
    return `action_regex is not a regular expression: ${(error as Error).message}`;
  }
}
