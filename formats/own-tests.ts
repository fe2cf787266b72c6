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
  columns.reject(
    missing.at(-1)!,
    `${unknownParser(columns, parser) ?? 'is missing'}: its tests are run and read by ${by}, which swemake does not have; add ${missing.join(' and ')} to the row (parsers: docs/grading.md)`,
  );
}

/** Refuses a row that names a parser which swemake does not have. Without one, the project's recipe names it. */
export function refuseUnknownParser(columns: Columns, { parser }: PartialRecipe): void {
  const why = unknownParser(columns, parser);
  if (why !== null) columns.reject('log_parser', `${why} (parsers: docs/grading.md)`);
}

function unknownParser(columns: Columns, parser: string | undefined): string | null {
  const given = columns.optionalText('log_parser');
  return given !== null && parser === undefined ? `"${given}" is no parser of swemake` : null;
}
