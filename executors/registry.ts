/** Every kind of executor, one line each, in the order in which the reference names them. */
import { autoKind } from './auto/kind.ts';
import { dockerKind } from './docker/kind.ts';
import type { ExecutorKind } from './kind.ts';
import { localKind } from './local/kind.ts';
import { poolKind } from './pool/kind.ts';
import { processKind } from './process/kind.ts';
import { rayKind } from './ray/kind.ts';
import { sandboxKind } from './sandbox/kind.ts';

export const KINDS: readonly ExecutorKind[] = [
  autoKind,
  sandboxKind,
  localKind,
  dockerKind,
  poolKind,
  processKind,
  rayKind,
];
