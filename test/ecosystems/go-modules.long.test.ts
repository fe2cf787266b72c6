/**
 * Repositories of several Go modules, and older versions of Go: a module that stands for another by `replace`, and a workspace (go.work).
 * Needs a module proxy, for the toolchains and a module.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { diff, type Grades, gradePatches } from './graded.ts';

const LIB = 'package lib\n\nfunc One() int { return 1 }\n';
const CODE =
  'package m\n\nimport (\n\t"example.com/lib"\n\t"github.com/google/shlex"\n)\n\nfunc Value() int {\n\twords, _ := shlex.Split("a b")\n\treturn lib.One() + len(words)\n}\n';
const testFile = (value: number) =>
  `package m\n\nimport "testing"\n\nfunc TestValue(t *testing.T) {\n\tif Value() != ${value} {\n\t\tt.Fatal(Value())\n\t}\n}\n\nfunc TestOther(t *testing.T) {}\n`;
const SUM =
  'github.com/google/shlex v0.0.0-20191202100458-e7afc7fbc510 h1:El6M4kTTCOh6aBiKaUGG7oYTSPP8MxqL4YI3kZKwcP4=\ngithub.com/google/shlex v0.0.0-20191202100458-e7afc7fbc510/go.mod h1:pupxD2MaaD3pAXIBCelhxNneeOaAeabZDe5s4K6zSpQ=\n';
const SHLEX = 'require github.com/google/shlex v0.0.0-20191202100458-e7afc7fbc510\n';
const FILES = { 'm.go': CODE, 'm_test.go': testFile(3), 'go.sum': SUM, 'lib/lib.go': LIB };

const REPOSITORIES: Record<string, { go: string; files: Record<string, string> }> = {
  'a module in the place of another': {
    go: '1.23.8',
    files: {
      'go.mod': `module example.com/m\n\ngo 1.18\n\n${SHLEX}\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => ./lib\n`,
      'lib/go.mod': 'module example.com/lib\n\ngo 1.18\n',
    },
  },
  'a workspace': {
    go: '1.23.8',
    files: {
      'go.work': 'go 1.21\n\nuse (\n\t.\n\t./lib\n)\n',
      'go.mod': `module example.com/m\n\ngo 1.21\n\n${SHLEX}`,
      'lib/go.mod': 'module example.com/lib\n\ngo 1.21\n',
    },
  },
  'a workspace, by the oldest version': {
    go: '1.18',
    files: {
      'go.work': 'go 1.18\n\nuse (\n\t.\n\t./lib\n)\n',
      'go.mod': `module example.com/m\n\ngo 1.18\n\n${SHLEX}`,
      'lib/go.mod': 'module example.com/lib\n\ngo 1.18\n',
    },
  },
};

describe.each(Object.entries(REPOSITORIES))('%s', (_, { go, files }) => {
  let grades: Grades;

  beforeAll(async () => {
    const gold = diff('m.go', CODE, CODE.replace('len(words)', 'len(words) + 1'));
    grades = await gradePatches({
      recipe: `ecosystem: go, toolchain: { go: "${go}" }`,
      files: { ...FILES, ...files },
      rows: {
        'go.1': {
          patch: gold,
          test_patch: diff('m_test.go', testFile(3), testFile(4)),
          FAIL_TO_PASS: ['example.com/m::TestValue'],
          PASS_TO_PASS: ['example.com/m::TestOther'],
        },
      },
      patches: {
        'go.1': {
          'the other module': diff('lib/lib.go', LIB, LIB.replace('return 1', 'return 2')),
          'nothing is solved': diff('m.go', CODE, `${CODE}\n// nothing\n`),
          'init ends': diff('m.go', CODE, `${CODE}\nfunc init() { panic(0) }\n`),
        },
      },
    });
  }, 1_800_000);

  test('is a sound task with a witness', () => {
    expect(grades.validated('go.1')).toEqual({ status: 'ok' });
    expect(grades.weaknesses('go.1')).toEqual([]);
  });

  test('a patch to the other module counts, and others do not', () => {
    expect(grades.of('go.1', 'the other module')).toEqual({ status: 'ok' });
    for (const patch of ['nothing is solved', 'init ends'])
      expect(grades.of('go.1', patch)).toMatchObject({ status: 'failed' });
  });
});
