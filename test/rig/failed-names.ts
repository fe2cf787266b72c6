/** Names of failed tests once more, as the last lines: the reports of errors before them can be long. */
import type { Reporter, TestModule } from 'vitest/node';

export class FailedNames implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const failed = modules.filter((module) => !module.ok());
    for (const module of failed) {
      const names = [...module.children.allTests('failed')].map((test) => test.fullName);
      for (const name of names.length > 0 ? names : ['the file itself'])
        console.error(`failed: ${module.relativeModuleId}: ${name}`);
    }
  }
}
