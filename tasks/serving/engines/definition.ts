/** The key of a project that names an engine, composed of all registered ones. The generator writes it into the schema. */
import type { Json } from '../../../basics/canonical.ts';
import type { ServingEngine } from './kind.ts';

export function engineProperty(engines: readonly ServingEngine[]): Json {
  const each = engines.map(({ name, summary }) => `${name}: ${summary}.`).join(' ');
  return {
    description: `Engine that serves the model. swemake writes its command line. ${each} Absent: command is used.`,
    type: 'string',
    enum: engines.map(({ name }) => name),
    'x-noun': 'engine',
    examples: [engines[0]!.name],
  };
}
