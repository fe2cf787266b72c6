/**
 * Stores each finished episode as a file in a folder of the trainer's step. A repeated request gets it again, even
 * after the server was killed, and people can read the files after a training.
 */

import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { textAt } from '../../basics/absent.ts';
import { jsonObject } from '../../basics/json.ts';
import type { ExitStatus } from '../../schemas/trajectory.ts';
import type { EpisodeRequest, Graded } from './episode.ts';
import { type AgentMetrics, agentMetrics } from './metrics.ts';

/** A file's content. */
export interface StoredEpisode {
  format: 'swemake-episode-1';
  id: string;
  /** Digest of the request and the project. */
  asked: string;
  instance_id: string;
  dataset: string | null;
  sample: string;
  step: number | null;
  /**
   * The summary comes before the episode, so that a reader of summaries need not read whole files. Absent: an older
   * file.
   */
  summary?: EpisodeSummary;
  episode: Graded;
}

export interface EpisodeSummary {
  /** null: there is none, as for a patch that passes only sometimes or whose code is doubtful. */
  reward: number | null;
  exit_status: ExitStatus;
  metrics: AgentMetrics;
}

export function episodeSummary(episode: Graded): EpisodeSummary {
  const { verdict, trajectory } = episode;
  return { reward: verdict.reward, exit_status: trajectory.exit_status, metrics: agentMetrics(episode) };
}

export class EpisodeStore {
  readonly #folder: string;
  readonly #project: string;

  /**
   * @param folder may be shared by servers; each can read what the others finished. @param project identifies the
   * project as it is written.
   */
  constructor(folder: string, project: string) {
    this.#folder = folder;
    this.#project = project;
    mkdirSync(folder, { recursive: true });
  }

  /** Null: no such episode was finished. An id that another training used for another request does not match. */
  read(request: EpisodeRequest): Graded | null {
    const { id } = request;
    const stored = jsonObject<StoredEpisode>(textAt(join(this.#folder, fileOf(request))) ?? '');
    // Where a file was changed, the episode is made again.
    return stored?.id === id && stored.asked === this.askedFor(request) ? stored.episode : null;
  }

  /**
   * Digest of the parts of a request that decide the episode and contain no secret. The address of its model decides
   * nothing.
   */
  askedFor({ instance, dataset, sample, seed, unit, train, step, actor, judge }: EpisodeRequest): string {
    const who =
      actor.kind === 'model'
        ? [actor.name, actor.sampling, actor.context]
        : [actor.kind === 'baseline' ? actor.type : actor.kind];
    const { baseUrl: _, apiKey: __, ...judged } = judge ?? { baseUrl: '', apiKey: null };
    // What older servers kept was made with the default.
    const taken = train === 'main' ? unit : `${unit} ${train}`;
    const what = [this.#project, instance, dataset, sample, seed, taken, step, who];
    return digestOf(JSON.stringify(judge === null ? what : [...what, judged]));
  }

  /** On the disk when it resolves. */
  async write(request: EpisodeRequest, episode: Graded): Promise<void> {
    const { id, instance, dataset, sample, step } = request;
    const stored: StoredEpisode = {
      format: 'swemake-episode-1',
      id,
      asked: this.askedFor(request),
      instance_id: instance,
      dataset,
      sample,
      step,
      summary: episodeSummary(episode),
      episode,
    };
    const path = join(this.#folder, fileOf(request));
    await mkdir(dirname(path), { recursive: true });
    // Another server may write the same one.
    const temporary = `${path}.${randomUUID()}.part`;
    try {
      const file = await open(temporary, 'w', 0o600);
      try {
        await file.writeFile(JSON.stringify(stored));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, path);
    } catch (error) {
      // A partly written file would keep a full disk full.
      await rm(temporary, { force: true });
      throw error;
    }
  }
}

/** Below the folder. */
function fileOf({ id, step }: EpisodeRequest): string {
  return join(step === null ? 'no-step' : `step-${step}`, `${digestOf(id)}.json`);
}

/** Ids come from clients, so they cannot be used as file names. */
function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 40);
}
