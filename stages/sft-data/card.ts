/**
 * The dataset card: what is in `sft.jsonl`, what was left out and why, and where it all comes from, as the README.md
 * of a dataset on the Hugging Face hub.
 */

import type { Style } from '../../agent/kinds/kind.ts';
import { canonicalJson, type Json } from '../../basics/canonical.ts';
import { plural } from '../../basics/plural.ts';
import { ISOLATIONS } from '../../executors/deployment.ts';
import { weakWork } from '../golden/isolation.ts';
import type { GoldenSummary } from '../golden/tally.ts';
import type { Statistics } from './statistics.ts';

export interface CardFacts {
  dataset: string;
  style: Style;
  unit: 'trajectory' | 'step';
  /** Digest of the catalogue of instances. */
  catalogue: string;
  statistics: Statistics;
  golden: GoldenSummary;
  /** How many rollouts balance and this stage left out, by reason. */
  balanced: Record<string, number>;
  left: Record<string, number>;
  /** null: no evaluation dataset was compared. */
  evaluation: { name: string; instances: number; digest: string } | null;
  provenance: Record<string, Json>;
}

const ROWS_OF_CARD = 50;

export async function datasetCard(facts: CardFacts): Promise<string> {
  const { statistics, golden } = facts;
  const sections = [
    `# ${facts.dataset}`,
    intro(facts),
    '## Rows',
    ROW_COLUMNS(facts),
    '## Counts',
    countsOf(facts),
    ...section('By repository', statistics.repositories),
    ...section('By exit status', statistics.exit_statuses),
    ...section('By model', statistics.models),
    '## Left out',
    leftOut(facts),
    '## Provenance',
    provenance(facts),
    ...(golden.relaxations.length === 0
      ? []
      : [`Grading was laxer than the default: ${golden.relaxations.join('; ')}.`]),
    ...isolationNote(golden),
  ];
  return `${await frontMatter(facts)}\n${sections.join('\n\n')}\n`;
}

async function frontMatter({ dataset, style, statistics }: CardFacts): Promise<string> {
  const { stringify } = await import('yaml');
  const head = {
    pretty_name: dataset,
    task_categories: ['text-generation'],
    tags: ['swe-agent', 'code', 'sft', style],
    size_categories: [sizeCategory(statistics.samples)],
    configs: [{ config_name: 'default', data_files: [{ split: 'train', path: 'sft.jsonl' }] }],
  };
  return `---\n${stringify(head)}---\n`;
}

function sizeCategory(rows: number): string {
  const bounds: [number, string][] = [
    [1e3, 'n<1K'],
    [1e4, '1K<n<10K'],
    [1e5, '10K<n<100K'],
    [1e6, '100K<n<1M'],
  ];
  return bounds.find(([bound]) => rows < bound)?.[1] ?? '1M<n<10M';
}

function intro({ statistics, unit, style }: CardFacts): string {
  const samples =
    unit === 'trajectory' ? 'one conversation per trajectory' : 'one conversation per call of the model';
  const converted =
    statistics.converted === 0
      ? 'All are as the model saw and wrote them.'
      : `${statistics.converted} were written by agents of another form and are converted: the system message, the task and the form of the calls are those of the style, what the commands answered is as the model saw it.`;
  return `Trajectories of software engineering agents, for supervised fine-tuning: ${plural(statistics.samples, 'row')} from ${plural(statistics.trajectories, 'trajectory', 'trajectories')}, ${samples}, style ${style}. ${converted}`;
}

const ROW_COLUMNS = ({ style, unit }: CardFacts): string =>
  [
    '| column | content |',
    '|---|---|',
    style === 'tools'
      ? '| messages | chat messages; calls in `tool_calls`, their arguments as JSON text |'
      : '| messages | chat messages of `role` and `content`; the last one is the assistant’s |',
    ...(style === 'tools' ? ['| tools | the tools that were offered, as JSON text |'] : []),
    '| instance_id | the task |',
    '| resolved | whether the patch passed the task’s tests |',
    '| model | who wrote the replies |',
    '| traj_id | the rollout, INSTANCE#SAMPLE |',
    '| patch | what the rollout changed, as a diff |',
    ...(unit === 'step' ? ['| step | index of the call, from 0 |'] : []),
  ].join('\n');

function countsOf({ statistics }: CardFacts): string {
  const steps = [...statistics.steps].sort((a, b) => a - b);
  const mean = steps.length === 0 ? 0 : steps.reduce((sum, one) => sum + one, 0) / steps.length;
  const tokens = (count: number | null) => (count === null ? 'not counted for all' : String(count));
  return table(
    ['what', 'count'],
    [
      ['rows', statistics.samples],
      ['trajectories', statistics.trajectories],
      ['repositories', Object.keys(statistics.repositories).length],
      ['characters of messages', statistics.characters],
      ['tokens that were read in the rollouts', tokens(statistics.prompt_tokens)],
      ['tokens that were written in the rollouts', tokens(statistics.completion_tokens)],
      [
        'steps: fewest, median, mean, most',
        `${steps[0] ?? 0}, ${steps[steps.length >> 1] ?? 0}, ${mean.toFixed(1)}, ${steps.at(-1) ?? 0}`,
      ],
    ],
  );
}

function leftOut({ golden, balanced, left, evaluation }: CardFacts): string {
  const rows: [string, string, number][] = [
    ...rowsOf('golden', golden.dropped),
    ...rowsOf('balance', balanced),
    ...rowsOf('sft-data', left),
  ];
  const compared =
    evaluation === null
      ? 'Nothing was compared with an evaluation dataset.'
      : `Compared with the ${plural(evaluation.instances, 'instance')} of \`${evaluation.name}\` (${evaluation.digest}): the same instance, the same repository and commit, or the same issue text.`;
  const list = rows.length === 0 ? 'Nothing.' : table(['stage', 'why', 'count'], rows);
  const seen = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([rule, count]) => `${rule} ${count}`)
      .join(', ');
  const leaks = `Of ${plural(golden.rollouts, 'rollout')} the answer was seen in: ${seen(golden.leaks) || 'none'}; looked for in vain in: ${seen(golden.attempts) || 'none'}.`;
  return [list, leaks, compared, 'Each is listed in the `dropped.jsonl` of its stage.'].join('\n\n');
}

function rowsOf(stage: string, counts: Record<string, number>): [string, string, number][] {
  return sorted(counts).map(([why, count]) => [stage, why, count]);
}

function provenance({ provenance: facts, catalogue, golden, statistics }: CardFacts): string {
  return table(
    ['what', 'value'],
    [
      ...Object.entries(facts).map(([name, value]): [string, string] => [name, code(canonicalJson(value))]),
      ['instances', code(`sha256:${catalogue}`)],
      ['agents', Object.keys(statistics.agents).sort().map(code).join(', ')],
      ['models', Object.keys(statistics.models).sort().map(code).join(', ')],
      ['verdicts by', golden.presets.map(code).join(', ')],
      ['isolation', code(canonicalJson(golden.isolation as Json))],
    ],
  );
}

function isolationNote({ isolation }: GoldenSummary): string[] {
  const weak = weakWork(isolation, ISOLATIONS.at(-1)!);
  return weak.length === 0
    ? []
    : [
        `Made without isolation (${weak.join(', ')}), which the project allows: an agent may have seen more of its host than its report tells.`,
      ];
}

function section(title: string, counts: Record<string, number>): string[] {
  const rows = sorted(counts);
  const more = rows.length - ROWS_OF_CARD;
  const list = table(['', 'trajectories'], rows.slice(0, ROWS_OF_CARD));
  return [`### ${title}`, more > 0 ? `${list}\n\nand ${more} more.` : list];
}

/** Largest first, then by name. */
function sorted(counts: Record<string, number>): [string, number][] {
  return Object.entries(counts).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}
