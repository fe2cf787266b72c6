/** Docstrings of the module to be mended as listed tests: the task validates, and their examples stay gold's. */
import { afterAll, describe, expect, test } from 'vitest';
import { DEFAULT_PRESET, findPreset } from '../../grading/rules/presets.ts';
import { validationVerdict } from '../../grading/rules/validation.ts';
import { runCheck } from '../../grading/run/check.ts';
import { goldPatch } from '../../patches/apply.ts';
import { GradedTask, gradingSandbox, pytestLayer } from './task.ts';

const environment = pytestLayer('pytest==8.3.5');
const box = environment === null ? null : await gradingSandbox();
afterAll(() => box?.cleanup());
const TIME = { timeout: 120_000 };

const CORE =
  'def value():\n    """\n    >>> value()\n    1\n    """\n    return -1\n\n\ndef other():\n    """\n    >>> other()\n    2\n    """\n    return 2\n';
const solved = CORE.replace('-1', '1');

describe.skipIf(box === null)('a task whose tests are docstrings', () => {
  test('validates, and edited examples have no reward', TIME, async () => {
    const task = new GradedTask(box!.deployment, environment!, {
      files: { 'pkg/__init__.py': '', 'pkg/core.py': CORE },
      solution: { 'pkg/core.py': solved },
      test: 'python -m pytest -rA -v --doctest-modules -p no:cacheprovider pkg',
      failToPass: ['pkg/core.py::pkg.core.value'],
      passToPass: ['pkg/core.py::pkg.core.other'],
    });
    const runs = [];
    for (const patch of [null, goldPatch(task.setup.instance)]) {
      const ran = await runCheck(task.setup, 'run', patch);
      if (!ran.ok) throw new Error(JSON.stringify(ran.fault));
      runs.push(ran.value.evidence.run);
    }
    const { rules } = findPreset(DEFAULT_PRESET)!;
    const checks = {
      lists: task.setup.instance,
      rules,
      before: runs[0]!,
      empty: runs[0]!,
      gold: [runs[1]!],
    };
    expect(validationVerdict(checks).outcome, task.logs.join('\n')).toEqual({ status: 'ok' });
    await task.validate();
    task.suspicion = 'mask';
    const verdict = (text: string) => task.grade(task.diff({ 'pkg/core.py': text }));
    expect(await verdict(solved)).toMatchObject({ reward: 1, integrity: [] });
    // Text around the examples is not one of them.
    const told = solved.replace('"""\n', '"""Gives one.\n\n');
    expect(await verdict(told)).toMatchObject({ reward: 1, integrity: [] });
    const edited = [
      CORE.replace('value()\n    1', 'value()\n    -1'),
      CORE.replace('value()\n    1', 'value()  # doctest: +SKIP\n    1'),
      CORE.replace('>>> value()\n    1', '>>> 1\n    1'),
      `${CORE}\nvalue.__doc__ = ">>> 1\\n1\\n"\n`,
      `${CORE}\nimport doctest\nolder = doctest.DocTestParser.get_examples\ndoctest.DocTestParser.get_examples = lambda *a: older(*a)[:0]\n`,
    ];
    for (const text of edited) {
      const { reward } = await verdict(text);
      expect(reward, text).not.toBe(1);
    }
    expect(await verdict(edited[0]!)).toMatchObject({
      reward: null,
      integrity: [{ rule: 'doctest-edited', effect: 'masked' }],
    });
  });
});
