/**
 * A row as an input: the part of an instance that decides its test results, without the texts that agents are shown.
 */
import type { Input } from '../../contract/input.ts';
import type { Machine } from '../../contract/machine.ts';
import type { ItemReader } from '../../contract/reader.ts';
import type { Instance } from '../../schemas/instance.ts';
import type { RowTests, TestRecipe } from '../../schemas/recipe.ts';
import { type CatalogueRow, readInstance } from './blocks/catalogue.ts';
import { taskDigestOf } from './blocks/row-block.ts';

export function instanceInput(
  item: ItemReader,
  row: CatalogueRow,
  machine: Machine,
  role = 'dataset',
): Input<() => Promise<Instance>> {
  const dataset = item.result(role);
  const read = async (): Promise<Instance> => ({
    ...(await readInstance(dataset, row, machine)),
    problem_statement: '',
    hints_text: '',
    raw: {},
  });
  return item.content(row.digest, read, taskDigestOf);
}

/** How the row's tests are run; its own script is read only where the project says so. */
export async function testsInput(
  item: ItemReader,
  row: CatalogueRow,
  { eval_script: isByScript, ...tests }: TestRecipe,
  machine: Machine,
  role = 'dataset',
): Promise<Input<RowTests>> {
  if (isByScript !== true) return item.value<RowTests>(tests);
  const { eval_script: script } = (await readInstance(item.result(role), row, machine)).raw;
  const brings = typeof script === 'string' && script.trim() !== '';
  return item.value<RowTests>(brings ? { ...tests, eval_script: script } : tests);
}
