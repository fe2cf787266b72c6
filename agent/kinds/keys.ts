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
  env: {
    description:
      'Variables of the agent’s commands. They are added to those of templates.from, or, without it, to PAGER and MANPAGER (cat), LESS (-R), PIP_PROGRESS_BAR (off) and TQDM_DISABLE (1).',
    type: 'object',
    additionalProperties: { type: 'string' },
    examples: [{ PAGER: 'cat' }],
  },
} satisfies Slice;
