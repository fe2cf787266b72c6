/** What came of a profile's build: read from the report and the exported trajectories, not from anything inside. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of the agent: baselines are no rollouts of the model. */
const ITEMS = 'rollouts.train@*#[0-9]*';

/** One row of the table. `run` is what the build took. */
export async function numbersOf({ folder, profile, run, swemake }) {
  const metrics = readJson(join(folder, `out/real-model+${profile}/report.train/metrics.json`));
  const rows =
    readFileSync(join(folder, `out/real-model+${profile}/sft-data.train/sft.jsonl`), 'utf8').split('\n')
      .length - 1;
  const exported = join(folder, 'exports', profile);
  for (const format of ['swemake', 'mini', 'swe-agent', 'swe-rl', 'preds']) {
    const to = format === 'swemake' ? exported : `${exported}.${format}`;
    const { code } = await swemake(['export', ITEMS, '--profile', profile, '--format', format, '--to', to]);
    if (code !== 0) throw new Error(`export of ${profile} as ${format} ended with status ${code}`);
  }
  const trajectories = readdirSync(exported)
    .filter((name) => !name.startsWith('.'))
    .map((name) => readJson(join(exported, name, 'trajectory.json')));
  const asked = trajectories.flatMap((trajectory) => trajectory.calls);
  const calls = asked.filter(({ reply }) => reply !== null);
  const kinds = trajectories.flatMap(({ messages }) => messages.map(({ kind }) => kind));
  return {
    rollouts: metrics.rollouts.total,
    graded: metrics.rollouts.graded,
    faults: Object.values(metrics.faults).reduce((sum, count) => sum + count, 0),
    exit_statuses: metrics.exit_statuses,
    reward: metrics.metrics['reward/mean'],
    reasons: metrics.reasons,
    calls: calls.length,
    refused: asked.length - calls.length,
    cut: calls.filter(({ truncated }) => truncated).length,
    rejected: kinds.filter((kind) => kind === 'rejected').length,
    commands: metrics.metrics['agent/tool_calls_sum'],
    prompt_tokens: metrics.prompt_tokens,
    completion_tokens: metrics.completion_tokens,
    with_ids: calls.filter(({ tokens }) => tokens?.source === 'endpoint').length,
    with_prompt_ids: calls.filter(({ tokens }) => (tokens?.prompt_ids.length ?? 0) > 0).length,
    longest_prompt: Math.max(...calls.map((call) => call.prompt_tokens ?? 0)),
    counter: [...new Set(trajectories.map(({ token_counter }) => token_counter))].join(', '),
    sft_rows: rows,
    wall: run.wall,
    tokens_per_second: metrics.completion_tokens / run.wall,
    server_cpu: run.server,
    swemake_cpu: run.cpu,
  };
}

const SHOWN = [
  ['rollouts', ({ rollouts, graded }) => `${rollouts}, ${graded} graded`],
  ['faults', ({ faults }) => `${faults}`],
  ['exit statuses', ({ exit_statuses }) => counts(exit_statuses)],
  ['mean reward', ({ reward }) => `${reward}`],
  ['no reward because', ({ reasons }) => counts(reasons)],
  ['prompts too long', ({ refused }) => `${refused}`],
  ['replies', ({ calls }) => `${calls}`],
  ['… malformed', ({ rejected }) => `${rejected}`],
  ['… cut at the limit', ({ cut }) => `${cut}`],
  ['… with ids from the endpoint', ({ with_ids, calls }) => `${with_ids} of ${calls}`],
  ['… with ids of the prompt too', ({ with_prompt_ids }) => `${with_prompt_ids}`],
  ['commands', ({ commands }) => `${commands}`],
  ['prompt tokens', ({ prompt_tokens }) => `${prompt_tokens}`],
  ['… of the longest', ({ longest_prompt }) => `${longest_prompt}`],
  ['completion tokens', ({ completion_tokens }) => `${completion_tokens}`],
  ['… a second', ({ tokens_per_second }) => tokens_per_second.toFixed(1)],
  ['who counts tokens', ({ counter }) => counter],
  ['rows of sft.jsonl', ({ sft_rows }) => `${sft_rows}`],
  ['seconds', ({ wall }) => wall.toFixed(0)],
  ['… of processor: model', ({ server_cpu }) => server_cpu?.toFixed(1) ?? '?'],
  ['… of processor: swemake', ({ swemake_cpu }) => swemake_cpu?.toFixed(1) ?? '?'],
];

/** A Markdown table with a column per profile. */
export function printTable(rows) {
  console.log(`|  | ${rows.map(({ profile }) => profile).join(' | ')} |`);
  console.log(`| --- |${rows.map(() => ' --- |').join('')}`);
  for (const [name, show] of SHOWN) console.log(`| ${name} | ${rows.map(show).join(' | ')} |`);
}

function counts(map) {
  const parts = Object.entries(map).map(([name, count]) => `${name} ${count}`);
  return parts.length === 0 ? '–' : parts.join(', ');
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
