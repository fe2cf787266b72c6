/** Which Python makes mutants: an older one cannot read newer code, and makes none of it. */
import { hasSucceeded, runProgram } from '../../basics/program.ts';
import { fault, success } from '../../basics/result.ts';
import type { QuestionKind } from '../../contract/question.ts';
import type { PlanReader } from '../../contract/reader.ts';
import { programFault } from '../../executors/program-fault.ts';
import type { Attempt } from '../../schemas/outcome.ts';
import { hostPython } from './host-python.ts';

export const HOST_PYTHON: QuestionKind<null, string> = {
  name: 'host python',
  changes: false,
  async answer() {
    const python = hostPython();
    const end = await runProgram({
      argv: [python, '--version'],
      env: { PATH: process.env.PATH },
      timeout: 60,
    });
    if (hasSucceeded(end)) return success(end.stdout.trim());
    const doing = `${python} --version`;
    return fault(programFault(end, { doing, remedy: 'install Python 3', otherwise: 'helper' }));
  },
};

/** Its version, where the project asks for mutants; else null. */
export async function mutantsBy(reader: PlanReader): Attempt<string | null> {
  const mutants = await reader.config('validation', 'mutants');
  return mutants === 0 ? success(null) : reader.ask(HOST_PYTHON, null);
}
