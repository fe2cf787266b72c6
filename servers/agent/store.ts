/**
 * Finished episodes as files, one each, below the trainer's step: what is answered again to whoever asks again, also after
 * the server was killed, and what is left of a training for people to read.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { EpisodeRequest, Graded } from './episode.ts';

/** A file's content. */
export interface StoredEpisode {
  format: 'swemake-episode-1';
  id: string;
  /** Digest of what was asked for, by which project. */
  asked: string;
  instance_id: string;
  dataset: string | null;
  sample: string;
  step: number | null;
  episode: Graded;
}

export class EpisodeStore {
  readonly #folder: string;
  /** Names of files, by the digests of ids. */
  readonly #known = new Map<string, string>();

  readonly #project: string;

  /**
   * Opens the folder and looks at what is there.
   * @param project names the project as it is written.
   */
  constructor(folder: string, project: string) {
    this.#folder = folder;
    this.#project = project;
    mkdirSync(folder, { recursive: true });
    for (const step of readdirSync(folder, { withFileTypes: true })) {
      if (!step.isDirectory()) continue;
      for (const name of readdirSync(join(folder, step.name)))
        if (name.endsWith('.json')) this.#known.set(name.slice(0, -5), join(step.name, name));
    }
  }

  get size(): number {
    return this.#known.size;
  }

  /** Null: no such episode was finished. An id that named something else in another training names nothing here. */
  read(request: EpisodeRequest): Graded | null {
    const { id } = request;
    const name = this.#known.get(digestOf(id));
    if (name === undefined) return null;
    try {
      const stored = JSON.parse(readFileSync(join(this.#folder, name), 'utf8')) as StoredEpisode;
      return stored.id === id && stored.asked === this.askedFor(request) ? stored.episode : null;
    } catch {
      // Somebody removed or changed it: the episode is made anew.
      return null;
    }
  }

  /** Digest of what decides an episode and is not to be found out; where its model is decides nothing. */
  askedFor({ instance, dataset, sample, seed, unit, step, actor }: EpisodeRequest): string {
    const who =
      actor.kind === 'model'
        ? [actor.name, actor.sampling, actor.context]
        : [actor.kind === 'baseline' ? actor.type : actor.kind];
    return digestOf(JSON.stringify([this.#project, instance, dataset, sample, seed, unit, step, who]));
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
      episode,
    };
    const folder = step === null ? 'no-step' : `step-${step}`;
    const name = join(folder, `${digestOf(id)}.json`);
    await mkdir(join(this.#folder, folder), { recursive: true });
    const path = join(this.#folder, name);
    const temporary = `${path}.part`;
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(stored));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    this.#known.set(digestOf(id), name);
  }
}

/** Ids come from outside, and are no names of files. */
function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 40);
}
