/** Names of failed tests once more, as the last lines: the reports of errors before them can be long. `.ci/run` gathers them. */
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

export class FailedNames implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const failed = modules.filter((module) => !module.ok());
    for (const module of failed) {
      const names = [...module.children.allTests('failed')].map((test) => test.fullName);
      for (const name of names.length > 0 ? names : ['the file itself'])
        console.error(`failed: ${module.relativeModuleId}: ${name}`);
    }
    for (const error of unhandled)
      console.error(`failed: outside of tests: ${String(error.message).split('\n', 1)[0]}`);
  }
}
