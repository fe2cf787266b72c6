/** `environment.yml`: which requirements it comes to, and what of it is named as left out. */
import { describe, expect, test } from 'vitest';
import { readCondaFile, requirementOf } from '../../../tasks/python/conda-file.ts';
import { indexNameOf } from '../../../tasks/python/conda-names.ts';

describe('a package', () => {
  test.each([
    ['numpy', 'numpy'],
    ['numpy>=1.19', 'numpy>=1.19'],
    ['numpy >=1.19,<2', 'numpy>=1.19,<2'],
    ['numpy=1.19', 'numpy==1.19.*'],
    ['numpy 1.19.*', 'numpy==1.19.*'],
    ['numpy=1.19*', 'numpy==1.19.*'],
    ['numpy==1.19.2', 'numpy==1.19.2'],
    ['numpy=1.19.2=py38h54aff64_0', 'numpy==1.19.2.*'],
    ['numpy 1.19.2 py38_0', 'numpy==1.19.2.*'],
    ['numpy>=1.19.*', 'numpy>=1.19'],
    ['numpy!=1.19', 'numpy!=1.19'],
    ['conda-forge::iris', 'scitools-iris'],
    ['PyTables', 'tables'],
    ['matplotlib-base', 'matplotlib'],
    ['python>=3.8', ''],
    ['pip', ''],
    ['nomkl', ''],
    ['hdf5', null],
    ['graphviz', null],
    ['numpy 1.19|1.20', null],
    ['no such thing at all', null],
  ])('%j', (spec, requirement) => {
    expect(requirementOf(spec)).toBe(requirement);
  });
});

test('names do not depend on case or on how words are joined', () => {
  expect(indexNameOf('Pre_Commit')).toBe(indexNameOf('pre_commit'));
  expect(indexNameOf('sphinx-Gallery')).toBe('sphinx-gallery');
});

test('a file: its packages, its own pip, and what is left', () => {
  const text = `name: dev
channels: [conda-forge]
dependencies:
  - python=3.10
  - numpy>=1.23  # a remark
  - hdf5
  - pip
  - pip:
    - mpl-sphinx-theme
    - "pkg @ git+https://example.org/pkg"
    - -r requirements/more.txt
    - -e .
    - --editable=../core[test, dev]
    - ./vendored/
    - -e git+https://example.org/pkg
    - ./wheels/a-1.0-py3-none-any.whl
    - --no-binary=lxml
`;
  expect(readCondaFile(text)).toEqual({
    ok: true,
    value: {
      requirements: ['numpy>=1.23', 'mpl-sphinx-theme', 'pkg @ git+https://example.org/pkg'],
      piped: ['mpl-sphinx-theme', 'pkg @ git+https://example.org/pkg'],
      specs: ['numpy>=1.23', 'hdf5'],
      includes: ['requirements/more.txt'],
      projects: [
        { isEditable: true, folder: '.', extras: '' },
        { isEditable: true, folder: '../core', extras: '[test, dev]' },
        { isEditable: false, folder: './vendored', extras: '' },
      ],
      left: ['hdf5', '-e git+https://example.org/pkg', './wheels/a-1.0-py3-none-any.whl', '--no-binary=lxml'],
    },
  });
});

test.each(['', '[]', '- a', 'dependencies: numpy', 'a: {', 'null'])('no such file: %j', (text) => {
  const read = readCondaFile(text);
  expect(read.ok).toBe(false);
});
