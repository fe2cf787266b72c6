/** Keys of `agent` with their schemas, in groups by which types have them. A key that one type alone has is in its folder. */
import type { Slice } from './kind.ts';

/** Types that a model answers for, in swemake's loop. */
export const MODEL_LOOP = {
  actions: {
    description:
      'How the model writes an action. fence: one fenced block. xml: one tag. tool-calls: the endpoint’s tool calls. Type tools takes its own XML or tool-calls. Absent: what templates.from asks for, or else fence.',
    type: 'string',
    enum: ['fence', 'xml', 'tool-calls'],
    'x-noun': 'action format',
    examples: ['tool-calls'],
  },
  model: { $ref: '#/definitions/model' },
  limits: { $ref: '#/definitions/limits_of_rollout' },
  context: { $ref: '#/definitions/context' },
  history: { $ref: '#/definitions/history' },
  step_rewards: { $ref: '#/definitions/step_rewards' },
  templates: { $ref: '#/definitions/templates' },
  user: {
    description:
      'A user who answers each time that the agent submits: with texts (`says`), or by a model that plays the user (`model`). The agent gets the answer as a message and works on; when it submits and the user has nothing more to say, its work counts. Absent: the first submission counts.',
    type: 'object',
    'x-whole': true,
    additionalProperties: false,
    properties: {
      says: {
        description:
          'What the user says, one text each time, as templates with the columns of the task. A text that is empty for a task is not said to it.',
        type: 'array',
        minItems: 1,
        items: { type: 'string' },
        examples: [['Now add a test for it.', '{{ follow_up }}']],
      },
      model: { $ref: '#/definitions/model' },
      prompt: {
        description:
          'What a user that a model plays knows and wants beyond the task, as a template with the columns of the task. Absent: the task alone.',
        type: 'string',
        examples: ['The name of the option has to be {{ option_name }}.'],
      },
      turns: {
        description:
          'How often a user that a model plays answers at most. It answers less often when it writes DONE, as it is content.',
        type: 'integer',
        minimum: 1,
        default: 3,
        examples: [1],
      },
    },
    examples: [{ says: ['Now add a test for it.'] }],
  },
  env: {
    description:
      'Variables of the agent’s commands. They are added to those of templates.from, or, without it, to PAGER and MANPAGER (cat), LESS (-R), PIP_PROGRESS_BAR (off) and TQDM_DISABLE (1).',
    type: 'object',
    additionalProperties: { type: 'string' },
    examples: [{ PAGER: 'cat' }],
  },
} satisfies Slice;
