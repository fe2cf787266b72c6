/** What of a rehearsal contradicts the project, each with the key that says otherwise and what to do. */

import { plural } from '../../basics/plural.ts';
import { keysOfTraining } from '../../trainers/registry.ts';
import type { OptionRole, Rehearsal } from '../../trainers/rehearsal.ts';
import type { Unread } from './effects.ts';
import type { EngineLog } from './endpoint.ts';
import type { Finding } from './finding.ts';
import type { Launched } from './launch.ts';
import type { Measured } from './measure.ts';

/** Shares of the written tokens below which a finding is made. */
const TRAINED = 0.999;

interface Known {
  launched: Launched;
  table: Rehearsal;
  log: EngineLog;
  measured: Measured | null;
  /** Of agent.step_rewards. */
  judges: boolean;
  /** Whether `trainer.sft` writes its checkpoints to the folder of this training. */
  isShared: boolean;
  /** Keys of trainer.rl that no program read. */
  unread: readonly Unread[];
}

export function findings(known: Known): Finding[] {
  const { report, exitCode, timedOut, output } = known.launched;
  if (report === null) {
    const tail = output.trimEnd().split('\n').slice(-3).join(' | ');
    const how = timedOut
      ? 'did not end in time'
      : `ended with ${exitCode ?? 'a signal'} before the framework’s program began`;
    return [
      finding('type', `the command ${how}: ${tail}`, 'see rehearsal.log in the folder that is named above'),
    ];
  }
  return [
    ...commandFindings(known),
    ...functionFindings(known),
    ...divisionFindings(known),
    ...limitFindings(known),
    ...tokenFindings(known),
    ...batchFindings(known),
    ...checkpointFindings(known),
    ...judgeFindings(known),
    ...known.unread.map(({ key, why }) =>
      finding(key, `it has no effect: ${why}`, 'remove it, or let the functions read it'),
    ),
  ];
}

/** swemake's hooks, which some frameworks start as their program. */
const OWN_PACKAGE = 'swemake_rollouts';

function commandFindings({ launched: { report }, table }: Known): Finding[] {
  const found: Finding[] = [];
  const { command, options, problems, error } = report!;
  if (command !== null && !command.found)
    found.push(
      command.program.includes(OWN_PACKAGE)
        ? finding(
            'type',
            `${command.program} is not found: the training’s Python lacks ${OWN_PACKAGE}`,
            `pip install the folder python of swemake into the environment that the deployment activates`,
          )
        : finding(
            'folder',
            `${command.program} is not found in ${command.cwd}`,
            'name the checkout of the framework in folder',
          ),
    );
  for (const { option, text } of options.wrong)
    found.push(
      finding(
        keyOf(table, option),
        `${table.options.style === 'flags' ? `--${option}` : option} ${text}, by the framework’s own definition`.trimStart(),
        'write what it takes',
      ),
    );
  for (const { kind, text, option } of problems)
    found.push(
      finding(option === null ? 'type' : keyOf(table, option), text, REMEDIES[kind] ?? 'see rehearsal.log'),
    );
  if (error !== null && problems.length === 0)
    found.push(
      finding(
        'generate',
        `the rollouts ended with ${error}`,
        'mend the function; rehearsal.log has where it was raised',
      ),
    );
  return found;
}

const REMEDIES: Readonly<Record<string, string>> = {
  filter: 'the framework would ask for groups for ever; remove the filter, or mend what it looks at',
  rows: 'name a file with rows',
  evaluation: 'name the rows, or remove the evaluation',
  function: 'write generate: MODULE.FUNCTION',
};

function functionFindings({ launched: { report } }: Known): Finding[] {
  const missing = report!.functions
    .filter(({ error }) => error !== null)
    .map(({ key, path, error }) =>
      finding(
        key,
        `${path} cannot be used: ${error}`,
        'install it where the training runs, or name its folder in module',
      ),
    );
  const raised = report!.rollouts.flatMap(
    ({ error, samples }) => error ?? samples.find((one) => one.error)?.error ?? [],
  );
  const counts = new Map<string, number>();
  for (const text of raised) counts.set(text, (counts.get(text) ?? 0) + 1);
  // A connection that the rehearsal itself cut is one of its own.
  const all = report!.rollouts.length;
  const failing = [...counts].filter(([, count]) => count > all / 4);
  const silent = report!.rollouts.filter(
    ({ error, samples }) =>
      error === null && samples.length > 0 && samples.every((one) => one.status === 'aborted' && !one.error),
  ).length;
  return [
    ...missing,
    ...failing.map(([text, count]) =>
      finding(
        'generate',
        `${count} of ${plural(all, 'rollout')} failed: ${text}`,
        'mend what it says; such rollouts train nothing',
      ),
    ),
    ...(silent > all / 4
      ? [
          finding(
            'generate',
            `${silent} of ${plural(all, 'rollout')} were given up, and the function does not say why`,
            'rehearsal.log may have what it logged; such rollouts train nothing',
          ),
        ]
      : []),
  ];
}

function divisionFindings(known: Known): Finding[] {
  const { launched, table } = known;
  const number = (role: OptionRole) => numberOf(optionOf(known, role));
  const [nodes, perNode, rollout, judge] = [
    number('actorNodes'),
    number('actorGpus'),
    number('rolloutGpus'),
    number('judgeGpus'),
  ];
  if (nodes === null || perNode === null) return [];
  const all = launched.gpus * launched.config.nodes;
  const isColocated = optionOf(known, 'colocate') === true;
  const used =
    (isColocated ? Math.max(nodes * perNode, rollout ?? 0) : nodes * perNode + (rollout ?? 0)) + (judge ?? 0);
  if (used <= all) return [];
  const overridden = [table.names.rolloutGpus ?? []]
    .flat()
    .find((name) => name in (launched.config.overrides ?? {}));
  return [
    finding(
      overridden === undefined ? 'gpus' : `overrides.${overridden}`,
      `the command takes ${used} GPUs (${nodes * perNode} train, ${rollout ?? 0} serve, ${judge ?? 0} judge), and there are ${all}`,
      'use fewer, or more nodes',
    ),
  ];
}

/** Settings that reached no request. */
function limitFindings(known: Known): Finding[] {
  const { log, measured } = known;
  const { config } = known.launched;
  const has = keysOfTraining('rl', { type: config.type });
  const found: Finding[] = [];
  if (!has.has('max_context')) return found;
  const over = log.calls.filter(({ prompt }) => prompt > config.max_context);
  const longest = Math.max(0, ...log.calls.map(({ prompt, ids }) => prompt + ids.length));
  if (over.length > 0)
    found.push(
      finding(
        'max_context',
        `${over.length} prompts were longer than max_context, up to ${longest} tokens: the limit reaches no part that makes prompts`,
        'give the agent the same limit: agent.context.max_tokens, or SWEMAKE_MAX_SEQ_LEN',
      ),
    );
  const replies = log.calls.filter(({ maxTokens }) => maxTokens !== null && maxTokens > config.max_response);
  if (replies.length > 0)
    found.push(
      finding(
        'max_response',
        `${replies.length} replies were asked for with up to ${Math.max(...replies.map(({ maxTokens }) => maxTokens!))} tokens`,
        'give the agent’s model the same max_tokens',
      ),
    );
  const other = log.calls.find(
    ({ temperature }) => temperature !== null && Math.abs(temperature - config.temperature) > 1e-6,
  );
  if (other !== undefined)
    found.push(
      finding(
        'temperature',
        `the rollouts ask for temperature ${other.temperature}, and the trainer believes ${config.temperature}`,
        'write the same in both',
      ),
    );
  if (optionOf(known, 'perStep') === true && measured !== null) {
    const merged = measured.rollouts.filter(
      ({ calls, sequences, status }) => status !== 'aborted' && calls > 0 && sequences < calls,
    );
    if (merged.length > 0)
      found.push(
        finding(
          'dynamic_history',
          `${merged.length} rollouts of ${measured.rollouts.length} were handed over with fewer samples than calls: dynamic_history reaches the framework and not the function that makes samples`,
          'set SWEMAKE_DYNAMIC_HISTORY in trainer.rl.env',
        ),
      );
  }
  return found;
}

function tokenFindings({ measured, launched: { report } }: Known): Finding[] {
  if (measured === null || report!.trained.length === 0) return [];
  const found: Finding[] = [];
  const { drift, foreign, misaligned, twice, behind, share, written, trained } = measured;
  if (misaligned > 0)
    found.push(
      finding(
        'generate',
        `${misaligned} sequences have a mask or log-probabilities of another length than their response`,
        'hand over one of each per response token',
      ),
    );
  if (drift > 0)
    found.push(
      finding(
        'generate',
        `${drift} trained ids are not those that the model wrote: text was tokenised again, or a mask is shifted`,
        'train the ids that the engine returned',
      ),
    );
  if (foreign > 0)
    found.push(
      finding(
        'generate',
        `${foreign} positions are trained that the model did not write: the mask covers what it was shown, or is shifted`,
        'set the mask to 1 on replies alone',
      ),
    );
  // Another one follows from ids or masks that are wrong.
  if (behind > 0 && drift === 0 && foreign === 0)
    found.push(
      finding(
        'generate',
        `${behind} replies are trained behind another prompt than the model saw: it was cut, or tokenised again`,
        'hand over the ids of each prompt as the engine had them; where the framework cuts them, raise max_prompt and max_context, or show less',
      ),
    );
  if (twice > 0)
    found.push(
      finding(
        'generate',
        `${twice} written tokens are trained more than once`,
        'hand over each reply in one sequence',
      ),
    );
  if (share !== null && share < TRAINED)
    found.push(
      finding(
        'generate',
        `${trained} of ${written} written tokens are trained, ${percent(share)}: the others are in no sequence`,
        'hand over a sequence for each part of a rollout whose prompts do not agree',
      ),
    );
  return found;
}

function batchFindings(known: Known): Finding[] {
  const { batch, rollouts } = known.launched.report!;
  if (batch === null) return [];
  const found: Finding[] = [];
  const trimmed = batch.trimmed;
  const count = rollouts.filter(({ evaluation }) => !evaluation).length;
  if (count > 0 && batch.sequences === 0)
    found.push(finding('generate', 'no sequence came to the optimizer', 'see the rollouts above'));
  else if (trimmed > 0)
    found.push(
      finding(
        'updates',
        `${batch.sequences} sequences do not fill whole batches of ${batch.globalBatch}: ${trimmed} are dropped in each step`,
        'hand over as many sequences as the batch promises, or let its size follow (dynamic_history with updates)',
      ),
    );
  if (batch.steps !== batch.plannedSteps && batch.sequences > 0)
    found.push(
      finding(
        'updates',
        `${batch.steps} optimizer steps for each rollout in place of ${batch.plannedSteps}`,
        'keep the number of samples fixed where the global batch is',
      ),
    );
  return found;
}

/** Two trainings that write to one folder would go on from each other's checkpoints. */
function checkpointFindings(known: Known): Finding[] {
  const { launched, table, isShared } = known;
  const found: Finding[] = [];
  if (isShared)
    found.push(
      finding(
        'output_folder',
        'trainer.sft writes its checkpoints to the same folder: one training would go on from the other',
        'name another folder, or write output: fresh',
      ),
    );
  const save = optionOf(known, 'save');
  if (typeof save === 'string' && save !== launched.own && !save.startsWith(`${launched.own}/`))
    found.push(
      finding(
        `overrides.${table.names.save}`,
        `checkpoints go to ${save}, which is no folder of this training: another one that writes there would be continued, and no checkpoint is kept from it`,
        'remove it; output and output_folder say where checkpoints go',
      ),
    );
  return found;
}

function judgeFindings(known: Known): Finding[] {
  const { log, launched, judges } = known;
  const found: Finding[] = [];
  const isOn = optionOf(known, 'judge') === true;
  if ((isOn || judges) && log.judged === 0 && log.calls.length > 0)
    found.push(
      finding(
        isOn ? 'prm' : 'agent.step_rewards',
        'the judge of steps was never asked: it takes its GPUs and scores nothing',
        'let the rollout function ask it, or remove it',
      ),
    );
  if (
    optionOf(known, 'stepWise') === 'step_wise' &&
    launched.report!.trained.some(({ stepWise, mask }) => stepWise === null && mask?.includes(1) !== false)
  )
    found.push(
      finding(
        'estimator',
        'step_wise learns from metadata.step_wise, which the samples do not have',
        'hand over the scores of the steps',
      ),
    );
  return found;
}

function optionOf({ launched, table }: Pick<Known, 'launched' | 'table'>, role: OptionRole): unknown {
  const name = table.names[role];
  const values = launched.report?.values;
  if (name === undefined || values === undefined) return undefined;
  if (typeof name === 'string') return values[name];
  const factors = name.map((one) => values[one]);
  return factors.every((one) => typeof one === 'number')
    ? factors.reduce((product, one) => product * one, 1)
    : undefined;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** The key of `trainer.rl` that an option comes from. */
function keyOf(table: Rehearsal, option: string): string {
  if (table.options.style === 'own') return option;
  return table.functions[option] ?? `overrides.${option}`;
}

function finding(key: string, message: string, remedy: string): Finding {
  return { key, message, remedy };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0.995 && share < 1 ? 2 : 0)}%`;
}
