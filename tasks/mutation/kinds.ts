/** Names of the kinds of mutations, as rows and the command line use them. */
import { KINDS } from './trees/kinds.ts';

/** Those that mutate.py knows. */
export const PYTHON_KINDS = [
  'flip_comparison',
  'shift_boundary',
  'swap_operands',
  'increase_constant',
  'decrease_constant',
  'change_operator',
  'remove_branch',
  'constant_condition',
  'invert_if',
  'remove_break',
  'remove_wrapper',
  'remove_return_value',
  'change_default',
  'remove_decorator',
  'remove_base',
  'remove_assignment',
  'remove_if',
  'remove_loop',
  'swap_statements',
] as const;

/** Those of all languages. */
export const MUTATION_KINDS: readonly string[] = [...new Set([...PYTHON_KINDS, ...Object.keys(KINDS)])];
