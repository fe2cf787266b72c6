/** The dialects of the local index, besides that of Python’s indexes. */
import type { Dialect } from './dialect.ts';
import { npmDialect } from './npm/dialect.ts';

export const DIALECTS: readonly Dialect[] = [npmDialect];
