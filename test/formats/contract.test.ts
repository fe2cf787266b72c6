/** What every dataset format promises: its own example is recognised, read and placed, whatever file it comes from. */
import { describe, expect, test } from 'vitest';
import { formatDefinitions } from '../../formats/definition.ts';
import { guessFormat } from '../../formats/guess.ts';
import type { FormatKind } from '../../formats/kind.ts';
import { instanceRow, readRow } from '../../formats/read-row.ts';
import { FORMATS } from '../../formats/registry.ts';
import { sourceMap } from '../../formats/source-map.ts';
import { testTimeout } from '../../formats/test-timeout.ts';
import type { DatasetConfig } from '../../schemas/generated/project.ts';
import { imageOf } from '../../tasks/images/instance-image.ts';

/** The dataset that a format's rows are from. */
const sourceOf = ({ init }: FormatKind) => init.template?.source ?? 'rows.jsonl';
const NO_SOURCES = sourceMap({});

describe.each(FORMATS.map((format) => [format.name, format] as const))('%s', (_name, format) => {
  const { row, instance, image } = format.example;

  test('is recognised by the columns of its example', () => {
    expect(guessFormat(row, sourceOf(format))?.name).toBe(format.name);
  });

  test('reads its example', () => {
    if (format.rows === 'derived') return expect(format.outline(row)).toEqual(instance);
    const found = instanceRow({ line: 1, row }, format);
    if ('message' in found) throw new Error(found.message);
    expect(readRow(found, NO_SOURCES)).toMatchObject({ instance_id: found.id, ...instance });
  });

  test('knows the image of its example', () => {
    const found = format.rows === 'derived' ? null : instanceRow({ line: 1, row }, format);
    if (found === null || 'message' in found) return expect(image).toBeNull();
    const config = { format: format.name, source: sourceOf(format) };
    const inner = format.rows === 'wrapped' ? { inner: found.format.name } : {};
    expect(imageOf({ instance_id: found.id, raw: found.row }, { ...config, ...inner })).toBe(image);
  });

  test('has a name that no folder or shell takes for something else, and a summary without its end', () => {
    expect(format.name).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(format.summary).toMatch(/[^.]$/);
  });

  test('gives tests the time that it says, unless the project says another', () => {
    const name = format.name as DatasetConfig['format'];
    expect([testTimeout(undefined, name), testTimeout(7, name)]).toEqual([format.testTimeout, 7]);
  });
});

test('the schema names the formats, and their times', () => {
  const { format, inner } = formatDefinitions(FORMATS);
  expect(format).toMatchObject({ enum: FORMATS.map(({ name }) => name) });
  expect(inner).toMatchObject({ enum: expect.not.arrayContaining(['r2e-gym', 'mutation', 'nested']) });
  const [first] = FORMATS;
  expect(formatDefinitions([first!]).timeout).toMatch(/Absent: 5 minutes\.$/);
  const named = (name: string, testTimeout = first!.testTimeout): FormatKind => ({
    ...first!,
    name,
    testTimeout,
  });
  const formats = [first!, named('a', 600), named('b'), named('slow', 90), named('c', 600), named('d')];
  expect(formatDefinitions(formats).timeout).toContain(
    '10 minutes for datasets of the formats a and c, 90 seconds for datasets of the format slow, 5 minutes for others',
  );
});
