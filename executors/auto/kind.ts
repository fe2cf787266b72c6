/** `auto`: the sandbox where it works, else plain processes, which every summary then says. */
import type { ChoiceKind } from '../kind.ts';
import { localKind } from '../local/kind.ts';
import { sandboxKind } from '../sandbox/kind.ts';

export const autoKind: ChoiceKind = {
  opens: 'choice',
  name: 'auto',
  summary: 'sandbox where the kernel allows it, else local with a warning in every summary',
  among: [sandboxKind, localKind],
};
