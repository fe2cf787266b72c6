/** Failed tests and the beginning of their errors once more, a line each, at the end: the reports before can be long. `.ci/run` gathers them. */
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

export class FailedNames implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const failed = modules.filter((module) => !module.ok());
    for (const module of failed) {
      const tests = [...module.children.allTests('failed')].map((test) => ({
        name: test.fullName,
        errors: test.result().errors ?? [],
      }));
      for (const { name, errors } of tests.length > 0
        ? tests
        : [{ name: 'the file itself', errors: module.errors() }])
        console.error(`failed: ${module.relativeModuleId}: ${name}: ${shortened(errors)}`);
    }
    for (const error of unhandled)
      console.error(`failed: outside of tests: ${String(error.message).split('\n', 1)[0]}`);
  }
}

/** The beginning of the first error, with the difference of values where it has one. */
function shortened([error]: readonly SerializedError[]): string {
  if (error === undefined) return 'no error is known';
  const text = [error.message, (error as { diff?: string }).diff ?? ''].join(' ');
  return stripVTControlCharacters(text).replace(/\s+/g, ' ').slice(0, 600);
}
