/** Scenarios of behave, judged by its exit code: its features, steps, hooks and settings. */
import { describe } from 'vitest';
import { type Files, SOLUTION } from './task.ts';
import { BUGGY, code, lines, RUNNERS, trialPlace, tryPatches } from './trials.ts';

const place = await trialPlace(...RUNNERS);
describe.skipIf(place === null)('', () => {
  const behave: Files = {
    'pkg/__init__.py': '',
    'pkg/core.py': BUGGY,
    'features/core.feature': lines(
      'Feature: core',
      '  Scenario: value',
      '    Then the value is 1',
      '  Scenario: other',
      '    Then the other is 2',
    ),
    'features/steps/core.py': lines(
      'from behave import then',
      'from pkg.core import other, value',
      '@then("the value is {n:d}")',
      'def step(context, n):',
      '    assert value() == n, value()',
      '@then("the other is {n:d}")',
      'def step2(context, n):',
      '    assert other() == n',
    ),
  };
  tryPatches('behave', place!, {
    options: {
      files: behave,
      test: 'python -m behave',
      failToPass: ['Scenario: value'],
      passToPass: ['Scenario: other'],
    },
    preset: 'returncode',
    solution: SOLUTION,
    honest: {
      'a step of its own': {
        ...SOLUTION,
        'features/steps/more.py': 'from behave import given\n@given("x")\ndef step(context): pass\n',
      },
    },
    attacks: {
      hooks: {
        'features/environment.py':
          'from behave.model_core import Status\ndef after_step(context, step):\n    step.status = Status.passed\n    step.exception = None\ndef after_scenario(context, scenario):\n    scenario.set_status(Status.passed)\n',
      },
      'hooks that do not run': {
        'features/environment.py': 'def before_scenario(context, scenario):\n    scenario.skip()\n',
      },
      steps: {
        'features/steps/core.py':
          'from behave import then\n@then("the value is {n:d}")\ndef step(context, n): pass\n@then("the other is {n:d}")\ndef step2(context, n): pass\n',
      },
      features: { 'features/core.feature': 'Feature: core\n' },
      'no features': {
        'features/core.feature': null,
        'features/none.feature': 'Feature: none\n  Scenario: x\n',
      },
      settings: { 'behave.ini': '[behave]\ntags = @none\n' },
      'other settings': { '.behaverc': '[behave]\ndry_run = true\n' },
      'settings in setup.cfg': { 'setup.cfg': '[behave]\ntags = @none\n' },
      'an end': code('import os\nos._exit(0)'),
      'the runner': code(
        'import behave.model\nbehave.model.Step.run = lambda self, runner, quiet=False, capture=True: True',
      ),
      matches: code('import behave.matchers\nbehave.matchers.Match.run = lambda self, context: None'),
    },
  });
});
