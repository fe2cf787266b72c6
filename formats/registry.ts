/** Every dataset format, one line each, in the order in which the reference names them. */
import { customFormat } from './custom/kind.ts';
import type { FormatKind } from './kind.ts';
import { multiSweBenchFormat } from './multi-swe-bench/kind.ts';
import { mutationFormat } from './mutation/kind.ts';
import { nestedFormat } from './nested/kind.ts';
import { r2eGymFormat } from './r2e-gym/kind.ts';
import { sweBenchFormat } from './swe-bench/kind.ts';
import { sweBenchProFormat } from './swe-bench-pro/kind.ts';
import { sweGymFormat } from './swe-gym/kind.ts';
import { swePolyBenchFormat } from './swe-polybench/kind.ts';
import { sweRebenchFormat } from './swe-rebench/kind.ts';
import { sweRebenchV2Format } from './swe-rebench-v2/kind.ts';
import { sweSmithFormat } from './swe-smith/kind.ts';

export const FORMATS: readonly FormatKind[] = [
  sweBenchFormat,
  sweSmithFormat,
  sweGymFormat,
  sweRebenchFormat,
  sweRebenchV2Format,
  r2eGymFormat,
  multiSweBenchFormat,
  sweBenchProFormat,
  swePolyBenchFormat,
  mutationFormat,
  customFormat,
  nestedFormat,
];

const BY_NAME: ReadonlyMap<string, FormatKind> = new Map(FORMATS.map((format) => [format.name, format]));

/** The format that a project names; null where there is none of that name. */
export function findFormat(name: string): FormatKind | null {
  return BY_NAME.get(name) ?? null;
}

/** The format that a checked project names. Throws for any other name. */
export function formatNamed(name: string): FormatKind {
  const found = findFormat(name);
  if (found === null) throw new Error(`there is no dataset format "${name}"`);
  return found;
}
