/** The types of the data routes' answers, for the server and the page. */
import type { RolloutFigures } from '../app/rehearsal/measure.ts';
import type { GradeView, RolloutView, ValidationView } from '../app/view/item-view.ts';
import type { ShownStep } from '../app/view/steps.ts';
import type { Difference, Rate } from '../basics/rates.ts';
import type { Counts } from '../engine/events.ts';

/** Of an answer: the number of changes that it shows. */
export const CHANGES_HEADER = 'x-changes';

/** How far an instance came, in order. */
export const FUNNEL = ['read', 'built', 'valid', 'rolled out', 'solved', 'kept', 'trained on'] as const;
export type FunnelStep = (typeof FUNNEL)[number];

export interface StageBox {
  address: string;
  stage: string;
  dataset: string;
  inputs: string[];
  /** null: not known before something upstream has run. */
  items: number | null;
  counts: Counts;
  /** Items that the next build would run. */
  toRun: number;
  why: string;
}

export interface LiveRun {
  run: string;
  state: 'running' | 'ended' | 'dead' | 'unknown';
  startedAt: string;
  lastAt: string;
  executed: number;
  counts: Counts;
  stages: { stage: string; items: number | null; done: number; running: number }[];
  /** The longest of what runs, at most a few dozen. */
  running: { item: string; since: string }[];
  /** The last ends that were not ok, newest first. */
  failures: { item: string; status: string; reason: string; detail: string; at: string }[];
  /** Milliseconds that the rest may take when this was sent, by the last minutes' rate; null: not known, or longer than that. */
  eta: number | null;
}

export interface Endpoint {
  address: string;
  model: string;
  /** Faults that the newest run met there. */
  faults: number;
  last: string;
}

export interface Tally {
  /** Answers whose numbers were read, of all: reading goes on in the background. */
  read: number;
  of: number;
  promptTokens: number;
  completionTokens: number;
  /** US dollars; null without prices. */
  cost: number | null;
  exits: [string, number][];
  findings: [string, number][];
}

export interface Overview {
  project: string;
  file: string;
  version: string;
  madeAt: number;
  /** Why this is not the newest state, in lines; null: it is. */
  problem: string | null;
  stages: StageBox[];
  funnels: { dataset: string; steps: { name: FunnelStep; count: number }[] }[];
  results: { stage: string; who: string; rollouts: number; graded: number; rate: Rate }[];
  /** What `summary.md` says: of all instances, also those without a verdict. */
  evaluations: { name: string; dataset: string; rate: Rate }[];
  tally: Tally;
  endpoints: Endpoint[];
  run: LiveRun | null;
}

export interface InstanceRow {
  dataset: string;
  id: string;
  repo: string;
  status: string;
  reason: string;
  step: FunnelStep;
  /** One letter a sample: 1, 0, or ? where there is no reward. */
  rewards: string;
  findings: string[];
}

export interface InstancePage {
  total: number;
  all: number;
  from: number;
  rows: InstanceRow[];
  facets: Record<'status' | 'reason' | 'repo' | 'reward' | 'finding' | 'dataset', [string, number][]>;
}

export interface SampleView {
  item: string;
  sample: string;
  status: string;
  exit: string;
  steps: number;
  reward: number | null;
  reason: string;
  findings: string[];
  isBaseline: boolean;
  patch: string;
}

export interface InstanceView {
  dataset: string;
  id: string;
  repo: string;
  environment: string;
  problem: string;
  gold: string;
  failToPass: string[];
  passToPass: number;
  step: FunnelStep;
  validation: Omit<ValidationView, 'log'> | null;
  samples: SampleView[];
  /** Tests with the samples in which each passed: true, false, or null where that is not known. */
  matrix: { test: string; list: string; cells: (boolean | null)[] }[];
  moreTests: number;
  /** Why the group gives a trainer no signal; empty where it does. */
  noSignal: string;
  /** For each pair of samples, the first step in which they part. */
  partings: { one: string; other: string; step: number; left: string; right: string }[];
}

export type StepView = ShownStep & { cut: boolean };

export type RolloutPage = Omit<RolloutView, 'trajectory' | 'steps' | 'grade'> & {
  dataset: string;
  exit: string;
  exitDetail: string;
  agent: string;
  model: string;
  steps: StepView[];
  grade: Omit<GradeView, 'log'> | null;
  /** Other samples of the instance. */
  group: string[];
};

export interface PromptView {
  call: number;
  messages: { role: string; content: string; standsFor: number | null }[];
  reply: string;
  /** null where no ids were kept. */
  tokens: {
    prompt: number;
    written: number;
    shared: number;
    ids: number[];
    logprobs: number[] | null;
  } | null;
}

export interface CauseView {
  dataset: string;
  complaint: string;
  status: string;
  hint: string | null;
  instances: string[];
  /** How many there are; the list is cut. */
  count: number;
  environments: string[];
  commands: string[];
}

export interface EnvironmentRow {
  dataset: string;
  name: string;
  status: string;
  reason: string;
  detail: string;
  instances: number;
  failed: number;
  durationMs: number;
  item: string;
}

export interface EnvironmentsView {
  causes: CauseView[];
  /** So many failures were looked at for the causes, and there are more; null: all of them. */
  lookedAt: number | null;
  environments: EnvironmentRow[];
}

export interface FlakeView {
  item: string;
  stage: string;
  detail: string;
  runs: string[];
  /** The statuses of each test in each run; empty where a run has none. */
  tests: { test: string; statuses: string[] }[];
}

export interface TimePart {
  name: string;
  /** Where to look closer; empty where there is nothing. */
  link: string;
  ms: number;
  count: number;
  cost: number | null;
  parts: TimePart[];
}

export interface CompareSide {
  id: string;
  name: string;
}

export interface CompareView {
  sides: CompareSide[];
  a: string;
  b: string;
  both: number;
  /** Over the instances of both: the mean of their means. */
  rateA: Rate;
  rateB: Rate;
  /** B less A over the instances of both. */
  difference: Difference;
  won: { instance: string; dataset: string; a: number; b: number }[];
  lost: { instance: string; dataset: string; a: number; b: number }[];
  wonCount: number;
  lostCount: number;
}

export interface RehearsalView {
  /** When it was made, milliseconds. */
  at: number;
  framework: string;
  tasks: 'project' | 'quickstart';
  ids: string[];
  rollouts: RolloutFigures[];
  /** Replies of rollouts that are handed over, and of them those that are trained; null: they were not counted. */
  turns: { written: number; trained: number } | null;
  /** Of the written tokens, those that are trained; null: nothing was written. */
  share: number | null;
  drift: number;
  judged: number;
  sequences: number;
  promised: number;
  steps: number;
  plannedSteps: number;
  options: number;
  checked: number;
  /** What contradicts the project. */
  found: { file: string; line: number; message: string; remedy: string }[];
  unread: { key: string; why: string }[];
  replaced: string[];
  unchecked: string[];
}
