/** Named changes of code that the user chooses: the patch of each row is derived from the code, see tasks/mutation. */
import { isFields } from '../../basics/json.ts';
import type { PartialRecipe } from '../../schemas/recipe.ts';
import { type DerivedFormat, NO_INIT } from '../kind.ts';
import { hasText } from '../row.ts';

export const mutationFormat: DerivedFormat = {
  rows: 'derived',
  name: 'mutation',
  summary: 'a named change to a package, from which the patch is derived',
  testTimeout: 300,
  namesPython: false,
  isOwnCode: true,
  docs: {
    patch: 'makes the bug',
    code: 'source distribution of a package',
    dependencies: 'the same',
    environment: 'same `repo` and version; see [mutations](mutate.md)',
  },
  init: NO_INIT,
  example: {
    row: {
      ...{ instance_id: 'greet-1', repo: 'me/greet', package: 'greet', version: '1.0' },
      mutation: { file: 'greet.py', function: 'greet', kind: 'invert_if', index: 0 },
      FAIL_TO_PASS: ['test_greet.py::test_name'],
      PASS_TO_PASS: [],
      problem_statement: 'The greeting has no name.',
      recipe: { pip: ['pytest'] },
    },
    instance: { repo: 'me/greet', recipe: { pip: ['pytest'] } },
    image: null,
  },
  fit: ({ mutation, package: name, source }) => {
    return isFields(mutation) && (hasText(name) || hasText(source)) ? 'only' : null;
  },
  outline: ({ repo, recipe }) => ({
    repo: String(repo),
    recipe: (recipe as PartialRecipe | undefined) ?? {},
  }),
};
