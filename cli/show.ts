/** `swemake show FILE`: the project as swemake understands it, and where every value came from. */

import { printDiagnostics } from '../app/diagnostics.ts';
import type { CommandIo } from '../app/io.ts';
import { loadOptions, PROJECT_OPTIONS } from '../app/project-options.ts';
import { content, jsonLine, shown } from '../app/shown.ts';
import type { Origin } from '../compiler/resolve.ts';
import type { Data } from '../compiler/tree.ts';
import type { ResolvedConfig } from '../contract/config.ts';
import { answerUsage, parseCommand } from './arguments.ts';

const SHOW = {
  name: 'show',
  summary: 'Print the resolved project, with the origin of every value behind it. Secrets stay placeholders.',
  positionals: [{ name: 'FILE', description: 'a project file', required: true }],
  options: {
    ...PROJECT_OPTIONS,
    json: { type: 'boolean', description: 'print one JSON object: config and origins' },
    training: {
      type: 'boolean',
      description: 'print what trainers would be started with: their files and train.sh; nothing is started',
    },
  },
  examples: [
    ['swemake show project.yaml --profile gpu', 'what a profile makes of the project'],
    ['swemake show project.yaml --training', 'the scripts and configurations of its trainers'],
  ],
} as const;

/** Runs the command and returns its exit code. */
export async function showCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(SHOW, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { loadProject } = await import('../compiler/load.ts');
  const loaded = await loadProject(parsed.positionals[0]!, loadOptions(parsed.values, io));
  if (!loaded.ok) {
    printDiagnostics(loaded.fault, io);
    return 2;
  }
  const { config, folder, origins, warnings } = loaded.value;
  printDiagnostics(warnings, io);
  if (parsed.values.training) return showTraining(config, folder, parsed.values.json, io);
  if (parsed.values.json) {
    io.stdout.write(jsonLine({ config, origins: Object.fromEntries(origins) }));
    return 0;
  }
  const { annotatedYaml } = await import('../compiler/print.ts');
  const labels = new Map([...origins].map(([path, origin]) => [path, originLabel(origin)]));
  io.stdout.write(content(annotatedYaml(config as unknown as Data, labels), io));
  return 0;
}

async function showTraining(
  config: ResolvedConfig,
  folder: string,
  asJson: boolean,
  io: CommandIo,
): Promise<number> {
  const { trainingPreviews } = await import('../tasks/training/preview.ts');
  const trainings = await trainingPreviews(config, folder);
  if (asJson) io.stdout.write(jsonLine({ trainings }));
  else if (trainings.length === 0)
    io.stdout.write(shown('no trainer is started: trainer.sft.type and trainer.rl.type are none\n'));
  else
    for (const { stage, files } of trainings)
      for (const [name, text] of Object.entries(files))
        io.stdout.write(content(`# ${stage}: ${name}\n${text}\n`, io));
  return 0;
}

function originLabel(origin: Origin): string {
  if (origin.kind === 'default') return 'default';
  const env = origin.env === undefined ? '' : `, from ${origin.env.join(', ')}`;
  // Not the whole setting: its value stands before the comment.
  if (origin.kind === 'set') return `--set${env}`;
  const profile = origin.profile === undefined ? '' : `, profile ${origin.profile}`;
  return `${origin.file}:${origin.line}:${origin.column}${profile}${env}`;
}
