/** The dialects of the local index, besides that of Python’s indexes. */
import { cratesDialect } from './crates/dialect.ts';
import type { Dialect } from './dialect.ts';
import { goDialect } from './go/dialect.ts';
import { mavenDialect } from './maven/dialect.ts';
import { npmDialect } from './npm/dialect.ts';

export const DIALECTS: readonly Dialect[] = [npmDialect, cratesDialect, goDialect, mavenDialect];
