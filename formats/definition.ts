/** The parts of the project's schema about formats, composed of all registered ones. The generator writes them into the schema. */
import type { Json } from '../basics/canonical.ts';
import type { FormatKind } from './kind.ts';

/** The keys of a dataset that name a format, and what `validation.timeout` says of its default. */
export function formatDefinitions(formats: readonly FormatKind[]): {
  format: Json;
  inner: Json;
  timeout: string;
} {
  // What is converted has no instance_id, by which an instance in another row is found.
  const inner = formats.filter((one) => one.rows === 'instances' && one.convert === undefined);
  const toTrainOn = formats.find(({ init }) => init.template?.isBenchmark === false) ?? formats[0]!;
  return {
    format: {
      description: `How rows are read. ${formats.map(({ name, summary }) => `${name}: ${summary}.`).join(' ')}`,
      type: 'string',
      enum: formats.map(({ name }) => name),
      'x-noun': 'dataset format',
      examples: [toTrainOn.name],
    },
    inner: {
      description:
        'Format of the instances inside nested rows. Absent: it is recognised by the columns of each row.',
      type: 'string',
      enum: inner.map(({ name }) => name),
      'x-noun': 'dataset format',
      examples: [toTrainOn.name],
    },
    timeout: `Time for one run of an instance's tests. Absent: ${timeouts(formats)}.`,
  };
}

/** `10 minutes for datasets of the formats a and b, 5 minutes for others`; those that most formats have come last. */
function timeouts(formats: readonly FormatKind[]): string {
  const groups = new Map<number, string[]>();
  for (const { name, testTimeout } of formats)
    groups.set(testTimeout, [...(groups.get(testTimeout) ?? []), name]);
  const [[usual], ...others] = [...groups].sort(([, a], [, b]) => b.length - a.length) as [
    [number, string[]],
    ...[number, string[]][],
  ];
  const of = (names: string[]) => `${names.length === 1 ? 'the format' : 'the formats'} ${joined(names)}`;
  const parts = others.map(([seconds, names]) => `${minutes(seconds)} for datasets of ${of(names)}`);
  return [...parts, `${minutes(usual)}${parts.length === 0 ? '' : ' for others'}`].join(', ');
}

function minutes(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`;
}

function joined(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), names.at(-1)].filter((part) => part !== '').join(' and ');
}
