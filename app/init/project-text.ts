/** The text of a new project: what is known of its rows, and beside it, as comments, what one changes first. Pure. */
import type { FormatKind } from '../../formats/kind.ts';
import type { PartialRecipe } from '../../schemas/recipe.ts';

export interface SurveyedRepo {
  repo: string;
  rows: number;
  /** Where its recipe comes from: the rows, what is known here of it, or nothing but what is usual. */
  needs: 'row' | 'known' | 'usual';
}

export interface SurveyedRows {
  /** As the project writes it. */
  source: string;
  split?: string;
  revision?: string;
  format: FormatKind;
  /** Rows that were looked at; null when none was. */
  rows: number | null;
  /** These are all that there are. */
  isAll: boolean;
  /** Of them, so many cannot be read. */
  bad: number;
  repos: SurveyedRepo[];
  /** Of how many instances a first build takes a sample. */
  sample?: number;
}

export interface ProposedRecipe {
  repo: string;
  recipe: PartialRecipe;
  /** Where each key comes from. */
  notes: string[];
}

export interface EndpointChoice {
  url: string;
  name: string;
}

export interface ProjectChoices {
  name: string;
  /** Of the project file, as commands name it. */
  file: string;
  /** For editors: where the schema is, as the project file sees it. */
  schema: string;
  rows: SurveyedRows;
  recipes: readonly ProposedRecipe[];
  /** Null: no model yet. */
  endpoint: EndpointChoice | null;
  /** The rows are a benchmark: models are evaluated on them, and nothing is trained. */
  isBenchmark: boolean;
  /** Further hosts that builds may ask. */
  allowHosts: readonly string[];
}

/** Repositories that get a rule to fill in. */
const NAMED = 8;

export function projectText(choices: ProjectChoices): string {
  return `${[head(choices), datasets(choices), environments(choices), rest(choices), agent(choices)].join('\n')}`;
}

function head({ name, file, schema }: ProjectChoices): string {
  return `# yaml-language-server: $schema=${schema}
#
#     swemake check ${file}     find mistakes before they cost time
#     swemake plan ${file}      what a build would do, and why
#     swemake build ${file}     make it; a second build redoes only what changed
#
version: 1
name: ${name}
`;
}

function datasets({ rows, isBenchmark }: ProjectChoices): string {
  const { source, split, revision, format, sample } = rows;
  const keys = [
    `source: ${text(source)}`,
    ...(split === undefined ? [] : [`split: ${text(split)}`]),
    ...(revision === undefined ? [] : [`revision: ${text(revision)}`]),
    `format: ${format.name}`,
    ...(sample === undefined ? [] : [`select: { sample: ${sample}, seed: 0 }`]),
  ];
  const more =
    sample === undefined
      ? '  # For a first look take a few: select: { sample: 5, seed: 0 }\n'
      : `  # A first look at ${sample} of them; remove select for all.\n`;
  return `dataset:
${seen(rows)}${more}  ${isBenchmark ? 'eval' : 'train'}: { ${keys.join(', ')} }
`;
}

/** How many rows there are, and of what. */
export function amountOf({ rows, isAll, repos }: SurveyedRows): string {
  const amount = isAll ? `${rows} ${rows === 1 ? 'row' : 'rows'}` : `more than ${rows} rows`;
  return `${amount} of ${repos.length === 1 ? repos[0]!.repo : `${repos.length} repositories`}`;
}

function seen(surveyed: SurveyedRows): string {
  const { rows, bad, format } = surveyed;
  if (rows === null) return '';
  const left = bad === 0 ? '' : ` ${bad} of them cannot be read and are left out.`;
  const amount = amountOf(surveyed);
  return `  # ${amount[0]!.toUpperCase()}${amount.slice(1)}, in format ${format.name} by their columns.${left}\n`;
}

function environments({ rows, recipes }: ProjectChoices): string {
  const head = [
    '# How each repository is installed and tested. Without a rule: pip install -e . and pytest.',
    'environments:',
    '  # Packages as they were on a day: python: { as_of: "2024-06-01" }',
  ];
  const lines: string[] = [];
  const count = (needs: SurveyedRepo['needs']) => rows.repos.filter((one) => one.needs === needs).length;
  if (count('row') > 0) lines.push(`    # ${plural(count('row'))} brought by the rows themselves.`);
  if (count('known') > 0) lines.push(`    # ${plural(count('known'))} known to swemake; a rule here wins.`);
  const { recipes: original, builtIn } = rows.format.init;
  if (builtIn !== undefined)
    lines.push(`    # Recipes of ${builtIn} are built in (docs/verified.md); a rule here wins key by key.`);
  if (original !== null)
    lines.push(
      `    # Recipes of ${original.what}: swemake import-recipes --from ${original.from} -o recipes.yaml,`,
      '    # then extends: [recipes.yaml] in place of this list.',
    );
  for (const { repo, recipe, notes } of recipes) lines.push(...recipeLines(repo, recipe, notes));
  const proposed = new Set(recipes.map(({ repo }) => repo));
  const open = rows.repos.filter(({ repo, needs }) => needs === 'usual' && !proposed.has(repo));
  for (const { repo } of open.slice(0, NAMED))
    lines.push(
      `    # - match: { repo: ${text(repo)} }`,
      '    #   python: "3.11"',
      '    #   install: ["python -m pip install -e .[test]"]',
    );
  if (open.length > NAMED) lines.push(`    # and ${open.length - NAMED} more repositories`);
  // A last rule for all would win over recipes that are built in.
  const isPython = recipes.every(({ recipe }) => recipe.ecosystem === undefined);
  const rest = builtIn === undefined && isPython ? ['    - match: {}', '      pip: ["pytest"]'] : [];
  const isEmpty = rest.length + recipes.length === 0;
  return [...head, `  recipes:${isEmpty ? ' []' : ''}`, ...lines, ...rest, ''].join('\n');
}

function plural(count: number): string {
  return count === 1 ? 'The recipe of one repository is' : `Recipes of ${count} repositories are`;
}

function recipeLines(repo: string, recipe: PartialRecipe, notes: readonly string[]): string[] {
  return [
    ...notes.flatMap((note) => note.split(/[\r\n]+/)).map((line) => `    # ${line}`),
    `    - match: { repo: ${text(repo)} }`,
    ...Object.entries(recipe).map(([key, value]) => `      ${key}: ${flow(value)}`),
  ];
}

function rest({ allowHosts }: ProjectChoices): string {
  const hosts = allowHosts.length === 0 ? '' : `\n    allow_hosts: ${flow(allowHosts)}`;
  return `deployments:
  box:
    # auto: a sandbox of Linux namespaces. Where the kernel refuses it nothing is run, since tasks are other people's
    # code; swemake doctor says what this machine can do. For code that you trust: type: local
    type: auto
    limits: { memory: 4GiB, pids: 256, disk: 4GiB, cpus: 1 }
    network: { build: proxy, rollout: off, grade: off }${hosts}

# Each task is tried without and with its solution, twice, before anything is built on it.
# With type: local, for a first look: add allow_isolation: local
validation: { deployment: box, gold_runs: 2 }
`;
}

function agent({ endpoint, isBenchmark, rows }: ProjectChoices): string {
  if (isBenchmark) return evaluation(endpoint);
  const trainer = `
# Conversations for fine-tuning, of the rollouts that solved their task: out/NAME/sft-data.train/sft.jsonl
trainer:
  sft: { type: none, style: ${rows.format.init.style} }
`;
  if (endpoint !== null)
    return `agent:
  type: bash
  model:
${modelLines(endpoint, '    ')}
  # Samples of each task. The baselines show that tasks and grading are sound.
  rollouts: 2
  baselines: [oracle, noop]
  limits: { steps: 40, time: 20m }
${trainer}`;
  return `# The oracle applies the known solution and the noop submits nothing: of sound tasks they solve all and none.
# For a model behind an OpenAI-compatible endpoint write
#
#     agent:
#       type: bash
#       model: { base_url: "http://127.0.0.1:8000/v1", name: custom, identity: "ORG/MODEL@REVISION", temperature: 0.8 }
#       rollouts: 4
#       baselines: [oracle, noop]
agent: { type: oracle, baselines: [noop] }
${trainer}`;
}

function evaluation(endpoint: EndpointChoice | null): string {
  const url = endpoint?.url ?? 'http://127.0.0.1:8000/v1';
  const chosen = { url, name: endpoint?.name ?? 'custom' };
  return `agent:
  type: bash
  model:
${modelLines(chosen, '    ')}
  limits: { steps: 100, time: 30m }

# The rows are a benchmark by their columns, so nothing is trained on them. Models by name: evaluation.models
evaluation: { dataset: eval, harness: native }
`;
}

function modelLines({ url, name }: EndpointChoice, indent: string): string {
  return [
    `base_url: ${text(url)}`,
    `name: ${text(name)}`,
    '# What keys hold of the model. Name the weights, such as ORG/MODEL@REVISION: others are then other samples.',
    `identity: ${text(`${name}@1`)}`,
    'temperature: 0.8',
    '# A key is never written here: api_key: "${secret:OPENAI_API_KEY}"',
  ]
    .map((line) => indent + line)
    .join('\n');
}

/** JSON text is YAML; `${env:` would be taken for a variable of the project. */
function text(value: string): string {
  const safe = value.replaceAll(/\$\{(?=env:|secret:)/g, '$$$${');
  return /^[A-Za-z][\w./-]*$/.test(safe) && !/^(true|false|null|yes|no|on|off)$/i.test(safe)
    ? safe
    : JSON.stringify(safe);
}

function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((one) => JSON.stringify(one)).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([name, one]) => `${name}: ${JSON.stringify(one)}`)
      .join(', ')} }`;
  return JSON.stringify(value);
}
