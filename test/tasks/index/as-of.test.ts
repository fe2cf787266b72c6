import { expect, test } from 'vitest';
import { momentOf, pageAsOf } from '../../../tasks/index/as-of.ts';
import { formFor } from '../../../tasks/index/pypi/page.ts';
import type { IndexFile } from '../../../tasks/source/simple-page.ts';

const file = (filename: string, uploaded?: string): IndexFile => ({
  filename,
  url: `https://x/${filename}`,
  sha256: null,
  yanked: false,
  requiresPython: null,
  ...(uploaded === undefined ? {} : { uploadedAt: Date.parse(uploaded) }),
});
const shown = (files: IndexFile[], asOf: string | null, project = 'foo') => {
  const { files: there, ...rest } = pageAsOf(files, project, asOf === null ? null : momentOf(asOf));
  return { names: there.map(({ filename }) => filename), ...rest };
};

test('a day counts to its end in UTC, a moment to the moment', () => {
  expect(momentOf('2022-07-01')).toBe(Date.UTC(2022, 6, 2));
  expect(momentOf('2022-07-01T12:00:00Z')).toBe(Date.UTC(2022, 6, 1, 12));
  expect(momentOf('2022-07-01T12:00:00.5+02:00')).toBe(Date.UTC(2022, 6, 1, 10, 0, 0, 500));
  for (const wrong of [
    '',
    'none',
    '2022',
    '2022-02-30',
    '2022-07-01T12:00:00',
    '2022-13-01',
    '../2022-07-01',
  ])
    expect(momentOf(wrong)).toBeNull();
});

test('files that came later are not there', () => {
  const files = [
    file('foo-1.0.tar.gz', '2022-07-01T23:59:59.999999Z'),
    file('foo-1.0-py3-none-any.whl', '2022-07-02T00:00:00Z'),
    file('foo-2.0.tar.gz', '2023-01-01T00:00:00Z'),
  ];
  expect(shown(files, '2022-07-01')).toEqual({ names: ['foo-1.0.tar.gz'], earliest: null, untimed: 0 });
  expect(shown(files, null).names).toHaveLength(3);
});

test('the earliest release stands in for a project that had none yet, with all its files', () => {
  const files = [
    file('foo-1.4.1.zip', '2022-07-08T18:31:40Z'),
    file('foo-1.4.2-py3-none-any.whl', '2022-07-09T18:31:40Z'),
    file('foo-1.4.1-py2.py3-none-any.whl', '2022-07-10T18:31:40Z'),
  ];
  expect(shown(files, '2019-07-01')).toEqual({
    names: ['foo-1.4.1.zip', 'foo-1.4.1-py2.py3-none-any.whl'],
    earliest: { version: '1.4.1', day: '2022-07-08' },
    untimed: 0,
  });
});

test('files of unknown time are kept and counted', () => {
  expect(
    shown([file('foo-1.0.tar.gz'), file('foo-2.0.tar.gz', '2023-01-01T00:00:00Z')], '2022-01-01'),
  ).toEqual({
    names: ['foo-1.0.tar.gz'],
    earliest: null,
    untimed: 1,
  });
});

test('clients get JSON when they say that they read it', () => {
  const newPip =
    'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01';
  expect(formFor(newPip)).toBe('json');
  expect(formFor('text/html;q=0.5, application/vnd.pypi.simple.latest+json;q=0.2')).toBe('json');
  expect(formFor('application/vnd.pypi.simple.v1+json;q=0, text/html')).toBe('html');
  expect(formFor('text/html')).toBe('html');
  expect(formFor('*/*')).toBe('html');
  expect(formFor(undefined)).toBe('html');
});
