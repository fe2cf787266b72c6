/** The command line of the official harness: placeholders become quoted values. */
import { shellWord } from '../../basics/shell.ts';

/** Works with swebench 4.1 and 5. In 4.1 the report is always written to the current folder. */
export const DEFAULT_COMMAND =
  'python -m swebench.harness.run_evaluation --dataset_name {dataset} --split test ' +
  '--predictions_path {predictions} --run_id {run_id} --max_workers {workers} --report_dir {report_dir}';

export interface CommandValues {
  dataset: string;
  predictions: string;
  run_id: string;
  report_dir: string;
  workers: string;
}

/** `command` with the values put in. Other names in braces stay as they are: they may be the shell's. */
export function fillCommand(command: string, values: CommandValues): string {
  return command.replace(
    /\{(dataset|predictions|run_id|report_dir|workers)\}/g,
    (_, name: keyof CommandValues) => shellWord(values[name]),
  );
}
