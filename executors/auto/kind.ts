/**
 * `auto`: the sandbox. Where that does not work, nothing is run, for rows are other people's code; unless the deployment
 * names plain processes as its `fallback`, which every summary then says.
 */
import type { ChoiceKind } from '../kind.ts';
import { localKind } from '../local/kind.ts';
import { sandboxKind } from '../sandbox/kind.ts';

const FALLBACKS = [localKind];

export const autoKind: ChoiceKind = {
  opens: 'choice',
  name: 'auto',
  summary:
    'sandbox; where the kernel refuses it, the fallback that the deployment names, and else nothing is run',
  best: sandboxKind,
  fallbacks: FALLBACKS,
  keys: {
    fallback: {
      description:
        'What is used where the sandbox does not work, with a warning in every summary. local: plain processes, in which code can do whatever you can, so it is for code that you trust. Absent: nothing is run there. It is part of no key; the kind that was used is.',
      type: 'string',
      enum: FALLBACKS.map(({ name }) => name),
      'x-noun': 'fallback',
      examples: [FALLBACKS[0]!.name],
    },
  },
};
