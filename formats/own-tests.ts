/** Rows whose tests are run by programs that do not come with them. */
import type { PartialRecipe } from '../schemas/recipe.ts';
import type { Columns } from './columns.ts';

/**
 * Refuses a row that does not say how its tests are run: the usual command and parser would find no test in it, or others.
 * `by`: what runs and reads them upstream.
 */
export function refuseUnlessTestable(columns: Columns, { test, parser }: PartialRecipe, by: string): void {
  const missing = [
    ...(test === undefined ? ['test_cmd'] : []),
    ...(parser === undefined ? ['log_parser'] : []),
  ];
  if (missing.length === 0) return;
  const given = columns.optionalText('log_parser');
  const why = given !== null && parser === undefined ? `"${given}" is no parser of swemake` : 'is missing';
  columns.reject(
    missing.at(-1)!,
    `${why}: its tests are run and read by ${by}, which swemake does not have; add ${missing.join(' and ')} to the row (parsers: docs/grading.md)`,
  );
}
