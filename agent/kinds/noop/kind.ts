/** The baseline that changes nothing. If it scores above 0, the task is defective. */
import { scriptedPolicy } from '../../scripted.ts';
import type { AgentKind } from '../kind.ts';
import { SCRIPTED } from '../scripted.ts';

export const noopKind: AgentKind = {
  ...SCRIPTED,
  name: 'noop',
  summary: 'submits nothing',
  docs: {
    works: 'nothing',
    follows: 'baseline: if its reward is above 0, the task or the grading is broken',
  },
  baseline: { title: 'no patch at all', resolves: 'none' },
  script: {
    seesGold: false,
    policy: ({ format, submit }) => scriptedPolicy(() => format.write('There is nothing to do.', submit)),
  },
};
