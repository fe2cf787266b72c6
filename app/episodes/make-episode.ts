/** Makes episodes of a project: the agent's rollout on the task, then the verdict on its patch, as a build would make them. */
import { outsideSettings } from '../../agent/kinds/outside/layered.ts';
import { drivesItself } from '../../agent/kinds/registry.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import { repliesWithoutIds, trainingSamples } from '../../agent/tokens/samples.ts';
import type { ModelTokenizer } from '../../agent/tokens/tokenizer.ts';
import { canonicalJson } from '../../basics/canonical.ts';
import { digestOf } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { Semaphore } from '../../basics/semaphore.ts';
import { HOST_SERVICES, type Services } from '../../contract/machine.ts';
import type { ItemResult } from '../../contract/reader.ts';
import type { ActionContext } from '../../contract/stage.ts';
import { toolsOf } from '../../contract/tools.ts';
import { NOTHING, sizeOf } from '../../grading/grade.ts';
import { gradeCandidate } from '../../grading/grade-candidate.ts';
import { unrewarded } from '../../grading/grade-verdict.ts';
import type { ModelConfig } from '../../schemas/generated/project.ts';
import type { Instance } from '../../schemas/instance.ts';
import { type Infra, infra, isFault, type Outcome } from '../../schemas/outcome.ts';
import { parseTrajectory } from '../../schemas/trajectory.ts';
import type {
  BasisOf,
  EpisodeContext,
  EpisodeEnd,
  EpisodeRequest,
  MakeEpisode,
  NoVerdict,
  RequestedJudge,
  RequestedModel,
} from '../../servers/agent/episode.ts';
import { gradeStage } from '../../stages/grade/stage.ts';
import { closeEndpoints } from '../../stages/rollouts/endpoints.ts';
import { withoutForeignKeys } from '../../stages/rollouts/foreign-key.ts';
import {
  type Actors,
  actorsFor,
  answeredBy,
  outcomeOf,
  rollOut,
} from '../../stages/rollouts/make-rollout.ts';
import { type ResolvedSolver, resolveSolver } from '../../stages/rollouts/resolve-solver.ts';
import type { AgentSolver } from '../../stages/rollouts/solver.ts';
import { rolloutsStage } from '../../stages/rollouts/stage.ts';
import { seedOf } from '../../stages/rollouts/task.ts';
import { installationOf } from '../../tasks/agent/installation.ts';
import { readEnvironment } from '../../tasks/environment/view.ts';
import { damageByNow } from '../../tasks/layer-damage.ts';
import type { Task, Tasks } from './tasks.ts';

/** Name of the weights that are being trained, which change from step to step. */
const POLICY = 'policy';
/** Name of a judge that a trainer serves. */
const JUDGE = 'judge';
/** Seconds, and requests at once; swe-rl's judge has as many. */
const JUDGE_WAITS = { timeout: 600, retry: 300, concurrency: 32 };
/** The reason of a fault after which another try may find everything in order. */
const BROKEN = 'environment-broken';
/** How often an episode is begun whose environment turned out to be broken. */
const TRIES = 3;

export interface EpisodesOptions {
  services: Services;
  tasks: Tasks;
  /** Gradings at once. */
  gradings: number;
  /** For replies whose ids the endpoint does not give; null: those are in no sequence. */
  tokenizer: ModelTokenizer | null;
}

export interface EpisodeMaker {
  make: MakeEpisode;
  basisOf: BasisOf;
  close(): Promise<void>;
}

export function episodeMaker(options: EpisodesOptions): EpisodeMaker {
  const grading = new Semaphore(options.gradings);
  const lines = new ModelLines(options.services);
  const make: MakeEpisode = async (request, context) => {
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt === TRIES || context.signal.aborted;
      const end = await makeEpisode(request, context, { ...options, grading, lines }).catch(
        // What a build had answered may be gone from the cache when it is read.
        (error: Error) => (isLast ? Promise.reject(error) : broken(error.message)),
      );
      if (end.kind !== 'fault' || end.outcome.reason !== BROKEN || isLast) return end;
      context.log(`${end.outcome.detail}; its environment is looked at again\n`);
      options.tasks.forget();
    }
  };
  const { tasks, services } = options;
  const basisOf: BasisOf = async (request) => {
    const task = await tasks.find(request.dataset, request.instance);
    const solver = await solverFor(request, services);
    return task.ok && solver.ok ? basisFrom(task.value, await task.value.instance(), solver.value) : null;
  };
  return { make, basisOf, close: () => lines.close() };
}

/** An episode of another version of swemake is not the same episode. */
const VERSIONS = [rolloutsStage.version, gradeStage.version];

/** Digest of all that the project puts into an episode. */
function basisFrom(task: Task, instance: Instance, { part, settings }: ResolvedSolver): string {
  const { environment, ofVerdict, rollout, grade, tests, rules, baseline, isValidated } = task;
  const layers = [environment.digest, ofVerdict.digest];
  const program = programOf(settings, task)?.digest;
  if (program !== undefined) layers.push(program);
  const all = [VERSIONS, instance, layers, rollout, grade, tests, rules, baseline, isValidated, part];
  return digestOf(canonicalJson(all));
}

/** What was installed for an agent; null: it needs nothing. */
function programOf(settings: AgentSettings, { programs }: Task): ItemResult | null {
  const installed = installationOf(settings.type, outsideSettings(settings));
  return installed === null ? null : (programs.get(installed.name) ?? null);
}

function cannotStep({ type }: AgentSettings): Infra {
  const remedy =
    'ask for whole rollouts, /run, with the address of the model (verl’s hook does so with SWEMAKE_MODEL_URL)';
  return infra(
    'deployment',
    `agents of type ${type} drive themselves, so no client can step them; ${remedy}`,
  );
}

interface Means extends EpisodesOptions {
  grading: Semaphore;
  lines: ModelLines;
}

async function makeEpisode(
  request: EpisodeRequest,
  { signal, watch, log }: EpisodeContext,
  { services, tasks, grading, lines, tokenizer }: Means,
): Promise<EpisodeEnd> {
  const found = await tasks.find(request.dataset, request.instance);
  if (!found.ok) return found.fault;
  const task = found.value;
  const solver = await solverFor(request, services);
  if (!solver.ok) return noVerdict(solver.fault);
  const { settings } = solver.value;
  if (request.actor.kind === 'caller' && drivesItself(settings)) return noVerdict(cannotStep(settings));
  const note = (text: string) => log(services.secrets.redact(text));
  const context: ActionContext = {
    ...services,
    signal: AbortSignal.any([services.signal, signal]),
    log: note,
    waits: note,
  };
  const line = lines.take(request);
  try {
    const instance = await task.instance();
    const { sample, actor, unit, train } = request;
    const seed = request.seed ?? seedOf(services.config.agent!.seed, request.instance, sample);
    const who = { instance, sample, seed, solver: solver.value };
    const actors = async (): Promise<Result<Actors, Infra>> => {
      const shared = { ...context, shared: line.owner };
      const sequence = actor.kind === 'model' ? actor.context : null;
      const found =
        actor.kind === 'caller'
          ? await answeredBy(actor.policy.as(solver.value.settings), who, shared)
          : await actorsFor(who, shared, { weightsChange: true, sequence });
      return found.ok ? success({ ...found.value, policy: watch(found.value.policy) }) : found;
    };
    const { environment, isValidated } = task;
    const program = programOf(solver.value.settings, task);
    if (program !== null && program.outcome.status !== 'ok') return noVerdict(withoutAgent(program.outcome));
    const shown = program === null ? {} : { program: program.outputs.agent! };
    const what = { ...who, ...shown, environment, isValidated, work: task.rollout, actors };
    const rolled = await rollOut(what, context);
    if (!rolled.ok) return brokenOr(rolled.fault, [environment], context);
    const { trajectory, timings } = rolled.value;
    const since = performance.now();
    const { baseline, rules, tests, grade, ofVerdict } = task;
    const candidate = {
      diff: trajectory.patch,
      instance,
      tests,
      work: grade,
      environment: ofVerdict,
      rules,
      baseline,
      isValidated,
    };
    const ended = outcomeOf(trajectory);
    const graded =
      ended.status === 'failed'
        ? success({ verdict: unrewarded(ended, rules.preset, sizeOf(NOTHING, trajectory.patch), []) })
        : await grading.run(() => gradeCandidate(candidate, toolsOf(context, 'grade', HOST_SERVICES)));
    if (!graded.ok) return brokenOr(graded.fault, [ofVerdict], context);
    const problem = await damageOf([environment, ofVerdict], context);
    if (problem !== null) return broken(problem);
    return {
      kind: 'graded',
      // What a stage would store of it.
      trajectory: parseTrajectory(services.secrets.redact(JSON.stringify(trajectory))),
      timings,
      verdict: graded.value.verdict,
      graded: performance.now() - since,
      samples: trainingSamples(trajectory, unit, tokenizer, train),
      withoutIds: repliesWithoutIds(trajectory, tokenizer, train),
      coefficient: actor.kind === 'model' ? (solver.value.judge?.config.coefficient ?? null) : null,
      versions: [],
      basis: basisFrom(task, instance, solver.value),
    };
  } finally {
    await line.leave();
  }
}

/** What became of environments while they were used: a test that fails for want of a file is no verdict. */
async function damageOf(environments: readonly ItemResult[], services: Services): Promise<string | null> {
  const built = await Promise.all(environments.map((one) => readEnvironment(one, services)));
  const layers = [...new Set(built.map(({ layer }) => layer))];
  const problems = await Promise.all(layers.map((layer) => damageByNow(layer, services)));
  const problem = problems.find((one) => one !== null);
  return problem === undefined ? null : `a layer was damaged meanwhile: ${problem}`;
}

/** A fault may come from files that are gone, and then says little of them. */
async function brokenOr(
  outcome: Outcome,
  environments: readonly ItemResult[],
  context: ActionContext,
): Promise<NoVerdict> {
  const isOver = context.signal.aborted || !isFault(outcome);
  const problem = isOver ? null : await damageOf(environments, context);
  return problem === null ? noVerdict(outcome) : broken(problem);
}

function broken(detail: string): NoVerdict {
  return noVerdict(infra(BROKEN, detail));
}

/** If the task's own answer is that there is no verdict, another try changes nothing. */
function noVerdict(outcome: Outcome): NoVerdict {
  if (outcome.status === 'ok') return noVerdict(infra('internal', 'a rollout ended without a trajectory'));
  return { kind: isFault(outcome) ? 'fault' : 'refused', outcome };
}

/** The project's agent, asked by the model that the request names. */
function withoutAgent(outcome: Outcome): Infra {
  return infra('upstream-infra', 'detail' in outcome ? `its agent: ${outcome.detail}` : 'it has no agent');
}

async function solverFor(
  { actor, judge }: EpisodeRequest,
  services: Services,
): Promise<Result<ResolvedSolver, Infra>> {
  const { agent } = services.config;
  if (agent === undefined) return fault(infra('tool-missing', 'the project has no agent'));
  const type = actor.kind === 'baseline' ? actor.type : agent.type;
  const model = agent.model === undefined ? null : { ...agent.model, identity: POLICY };
  const solver: AgentSolver = {
    kind: 'agent',
    sample: '0',
    agent: { ...agent, type },
    overrides: null,
    model: actor.kind === 'baseline' ? null : (model ?? (actor.kind === 'caller' ? NOBODY : null)),
  };
  const resolved = await resolveSolver(solver, services);
  if (!resolved.ok) return resolved;
  if (actor.kind === 'model') return success(judgedBy(judge, askingModel(resolved.value, actor)));
  const { settings } = resolved.value;
  // The tokens of what a caller is shown are not counted.
  const context = { ...settings.context, strategy: 'full' as const };
  return success({ ...resolved.value, settings: { ...settings, context } });
}

function askingModel(solver: ResolvedSolver, asked: RequestedModel): ResolvedSolver {
  if (solver.model === null) return solver;
  const { serve, ...written } = solver.model.config;
  const config: ModelConfig = {
    ...written,
    ...(serve === undefined || asked.baseUrl !== null ? {} : { serve }),
    ...(asked.baseUrl === null ? {} : { base_url: asked.baseUrl }),
    ...(asked.name === null ? {} : { name: asked.name }),
    ...(asked.apiKey === null ? {} : { api_key: asked.apiKey }),
    ...(asked.context === null ? {} : { context: asked.context }),
    ...asked.sampling,
  };
  const own = asked.apiKey === null ? {} : { api_key: asked.apiKey };
  const model = withoutForeignKeys(config, solver.model.config, own);
  const settings = within(solver.settings, asked.context);
  return { ...solver, settings, model: { config: model, identity: solver.model.identity } };
}

/** The agent shows the model no longer history than the trainer takes. */
function within(settings: AgentSettings, most: number | null): AgentSettings {
  const { max_tokens: own } = settings.context;
  if (most === null || own === null || own <= most) return settings;
  return { ...settings, context: { ...settings.context, max_tokens: most } };
}

/** With the judge that the request names in the place of the project's; that one's view of the steps stays. */
function judgedBy(asked: RequestedJudge | null, solver: ResolvedSolver): ResolvedSolver {
  if (asked === null) return solver;
  const { history_steps = 8, skip_submit = true } = solver.judge?.config ?? {};
  const { baseUrl, name, apiKey, votes, coefficient, temperature, maxTokens } = asked;
  const model: ModelConfig = {
    ...{ base_url: baseUrl, name, identity: JUDGE, temperature, max_tokens: maxTokens, tokens: 'off' },
    ...(apiKey === null ? {} : { api_key: apiKey }),
    ...JUDGE_WAITS,
  };
  const config = { model, votes, coefficient, history_steps, skip_submit };
  return { ...solver, judge: { config, identity: JUDGE } };
}

/** Stands where a project has no model and a caller answers. */
const NOBODY: ModelConfig = {
  name: POLICY,
  identity: POLICY,
  temperature: 1,
  max_tokens: 4096,
  tokens: 'off',
  timeout: 60,
  retry: 0,
  concurrency: 1,
};

/** Addresses that are kept without being asked. */
const IDLE = 32;

interface Line {
  /** Owner of what is opened to ask there. */
  owner: object;
  users: number;
}

/** Connections to models by their address: a trainer may have one address for each rollout, and they do not pile up. */
class ModelLines {
  readonly #services: Services;
  readonly #lines = new Map<string, Line>();

  constructor(services: Services) {
    this.#services = services;
  }

  take({ actor }: EpisodeRequest): { owner: object; leave(): Promise<void> } {
    const address = actor.kind === 'model' ? actor.baseUrl : null;
    if (address === null) return { owner: this.#services.shared, leave: async () => undefined };
    const line = this.#lines.get(address) ?? { owner: {}, users: 0 };
    line.users += 1;
    // The newest are the last.
    this.#lines.delete(address);
    this.#lines.set(address, line);
    return {
      owner: line.owner,
      leave: async () => {
        line.users -= 1;
        await this.#closeIdle();
      },
    };
  }

  async #closeIdle(): Promise<void> {
    const idle = [...this.#lines].filter(([, { users }]) => users === 0);
    for (const [address, { owner }] of idle.slice(0, Math.max(0, idle.length - IDLE))) {
      this.#lines.delete(address);
      await closeEndpoints({ shared: owner });
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lines.values()].map(({ owner }) => closeEndpoints({ shared: owner })));
    this.#lines.clear();
  }
}
