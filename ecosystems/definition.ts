/** The key of a recipe that names an ecosystem, composed of all registered ones. The generator writes it into the schema. */
import type { Json } from '../basics/canonical.ts';
import type { EcosystemKind } from './kind.ts';

export function ecosystemProperty(kinds: readonly EcosystemKind[]): Json {
  const each = kinds.map(({ name, summary }) => `${name}: ${summary}.`).join(' ');
  const usual = kinds[0]!.name;
  return {
    description: `The language and its tools, which decide how dependencies are installed and tests are run. ${each} Absent: ${usual}.`,
    type: 'string',
    enum: kinds.map(({ name }) => name),
    'x-noun': 'ecosystem',
    examples: [kinds.at(1)?.name ?? usual],
  };
}
