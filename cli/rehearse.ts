/** `swemake rehearse FILE`: what a training would train, found in minutes and without a GPU. */

import { annotate, printDiagnostics } from '../app/diagnostics.ts';
import type { CommandIo } from '../app/io.ts';
import { loadOptions, PROJECT_OPTIONS } from '../app/project-options.ts';
import type { RehearsalResult } from '../app/rehearsal/rehearse.ts';
import { countOf, secondsOf } from '../app/servers/settings.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { plural } from '../basics/plural.ts';
import { answerUsage, type CommandSpec, option, parseCommand } from './arguments.ts';

const REHEARSE = {
  name: 'rehearse',
  summary:
    'Rehearse the RL training of a project on this machine, without a GPU: its command is started as a training would start it, with scripts in place of the model and a driver in place of the trainer. Says what would be trained, and fails where that contradicts the project.',
  positionals: [{ name: 'FILE', description: 'a project file', required: true }],
  options: {
    ...PROJECT_OPTIONS,
    tasks: option(
      'WHICH',
      'any: validated tasks of the project where there are any, else those of the quickstart. project: the project’s, validated now where needed. quickstart: those of the quickstart (default: any)',
    ),
    count: option('N', 'tasks that are used (default: 2)'),
    'stand-ins': {
      type: 'boolean',
      description: 'where the framework is not there, take a stand-in of its calling contract',
    },
    timeout: option('TIME', 'ends the rollouts (default: 20m)'),
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [
    ['swemake rehearse project.yaml', 'before GPUs are paid for'],
    ['swemake rehearse project.yaml --profile original --stand-ins', 'a profile, without the framework'],
  ],
} as const satisfies CommandSpec;

const WHICH = ['any', 'project', 'quickstart'] as const;

export async function rehearseCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(REHEARSE, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { values } = parsed;
  const usage = (fault: { message: string; remedy: string }) => answerUsage({ kind: 'usage', ...fault }, io);
  const wanted = WHICH.find((one) => one === (values.tasks ?? 'any'));
  if (wanted === undefined)
    return usage({ message: `--tasks is none of these: "${values.tasks}"`, remedy: WHICH.join(', ') });
  const count = countOf('--count', values.count, 2);
  if (!count.ok) return usage(count.fault);
  const timeout = secondsOf('--timeout', values.timeout, 1200);
  if (!timeout.ok) return usage(timeout.fault);
  const { loadProject } = await import('../compiler/load.ts');
  const loaded = await loadProject(parsed.positionals[0]!, loadOptions(values, io));
  printDiagnostics(loaded.ok ? loaded.value.warnings : loaded.fault, io);
  if (!loaded.ok) return 2;
  const project = loaded.value;
  const [{ rehearse }, { diagnosticOf }, { stopOnSignals }] = await Promise.all([
    import('../app/rehearsal/rehearse.ts'),
    import('../app/rehearsal/place.ts'),
    import('../app/signals.ts'),
  ]);
  // There is nothing that would be finished first.
  const stop = stopOnSignals(io, 'stopping: what runs is ended');
  const signal = stop.abort;
  try {
    const options = { wanted, tasks: count.value, standIns: values['stand-ins'], timeout: timeout.value };
    const ended = await rehearse(project, options, io, signal);
    if (signal.aborted) return 130;
    if (!ended.ok) {
      const { code, ...finding } = ended.fault;
      printDiagnostics([diagnosticOf(finding, project, io.cwd)], io);
      return code;
    }
    if (values.json) io.stdout.write(jsonLine(ended.value));
    else io.stdout.write(shown(textOf(ended.value)));
    printDiagnostics(ended.value.diagnostics, io);
    annotate(ended.value.diagnostics, io);
    return ended.value.diagnostics.length > 0 ? 1 : 0;
  } finally {
    stop.release();
  }
}

function textOf(result: RehearsalResult): string {
  const { measured, batch, options, groups, memory, gpus } = result;
  const lines = [
    `${result.project}: ${result.framework}, ${result.tasks.ids.length} tasks of the ${result.tasks.of} (${result.tasks.ids.join(', ')})`,
    '',
  ];
  if (measured !== null) {
    lines.push('script     calls  written  trained  sequences  reward  step rewards  longest prompt  status');
    for (const one of measured.rollouts)
      lines.push(
        [
          one.script.padEnd(9),
          cell(one.calls, 6),
          cell(one.written, 8),
          cell(one.trained, 8),
          cell(one.sequences, 10),
          cell(one.reward ?? '-', 7),
          cell(one.stepRewards, 13),
          cell(one.longestPrompt, 15),
          ` ${one.status}`,
        ].join(' '),
      );
    const share = measured.share === null ? 'nothing was written' : `${(100 * measured.share).toFixed(1)}%`;
    lines.push(
      '',
      `written tokens that are trained  ${share} (${measured.trained} of ${measured.written})`,
      `turns that are trained           ${measured.turns.trained} of ${measured.turns.written}`,
      `ids that differ                  ${measured.drift}; not written by the model ${measured.foreign}; trained twice ${measured.twice}`,
      `masks and log-probabilities      ${measured.misaligned === 0 ? 'aligned' : `${measured.misaligned} sequences of another length`}`,
      `judge of steps                   asked ${measured.judged} times`,
    );
  }
  const dropped = groups.filter(({ keep }) => !keep);
  if (groups.length > 0)
    lines.push(
      `groups                           ${groups.length}, dropped ${dropped.length}${dropped.length > 0 ? `: ${[...new Set(dropped.map(({ reason }) => reason ?? 'no reason given'))].join(', ')}` : ''}`,
    );
  if (batch !== null)
    lines.push(
      `sequences                        ${batch.sequences} of ${batch.promised} rollouts; ${batch.trimmed} cut off`,
      `optimizer steps                  ${batch.steps} of ${batch.plannedSteps}, batches of ${batch.globalBatch}, ${batch.microBatches} micro-batches, padding ${batch.padding}`,
      `longest sequence                 ${batch.longest} tokens${batch.tokensPerMicroBatch === null ? '' : `; a micro-batch is meant to hold ${batch.tokensPerMicroBatch}`}`,
    );
  for (const [name, one] of Object.entries(result.evaluations ?? {}))
    lines.push(
      `evaluation ${name.padEnd(21)} ${plural(one.samples, 'rollout')}, rewards ${one.rewards.join(', ')}`,
    );
  if (options !== null)
    lines.push(
      `options                          ${options.given}: ${options.checked} checked against the source, ${options.wrong.length} wrong, ${options.unchecked.length} unchecked`,
    );
  const bytes = memory.bytes === null ? '' : `, up to ${(memory.bytes / 2 ** 30).toFixed(0)} GiB`;
  lines.push(
    `GPUs                             ${gpus.nodes} × ${gpus.each}${gpus.judge > 0 ? `, ${gpus.judge} of them for the judge` : ''}`,
    `rollouts at once                 ${memory.rollouts}${bytes}`,
    '',
    'replaced:',
    ...result.replaced.map((one) => `  ${one}`),
    ...(result.unread.length === 0 ? [] : ['settings without an effect on this training:']),
    ...result.unread.map(({ key, why }) => `  ${key}: ${why}`),
    'not looked at:',
    ...result.unchecked.map((one) => `  ${one}`),
    '',
    `${result.diagnostics.length === 0 ? 'nothing contradicts the project' : `${result.diagnostics.length} contradictions`}; all of it is in ${result.folder}/rehearsal.json`,
    '',
  );
  return lines.join('\n');
}

function cell(value: string | number, width: number): string {
  return `${value}`.padStart(width);
}
