/** What pinning and fetching need from the outside, and the work in flight that callers share. */
import type { LayerStore } from '../../cache/layers.ts';
import type { GitDeps } from './git-mirror.ts';
import { type Http, httpClient } from './http.ts';
import { knownProjects } from './index-control.ts';
import { indexSettings } from './index-settings.ts';
import type { Memo } from './memo.ts';
import { type PackageIndex, packageIndex } from './package-index.ts';

export interface SourceDeps extends GitDeps {
  layers: LayerStore;
  index: PackageIndex;
  http: Http;
  memo: Memo;
  sharedWork: SharedWork;
  /** Digests that a lock file gives for specs. */
  locked?: ReadonlyMap<string, string>;
  /** Takes every pin that is made. */
  onPin?(spec: string, digest: string): void;
  /** A fresh path on the file system of the layers. */
  temporaryPath(): string;
}

export type SourceOptions = Omit<SourceDeps, 'index' | 'http' | 'sharedWork'> & { index?: PackageIndex };

/** The dependencies of `pinSource` and `fetchSource`; make them once for a run. */
export function sourceDeps(options: SourceOptions): SourceDeps {
  const { env } = options;
  return {
    index: packageIndex(env, { known: knownProjects(options.memo) }),
    ...options,
    http: httpClient({ env, ...indexSettings(env) }),
    sharedWork: new SharedWork(),
  };
}

/** Callers that want the same thing at the same time get one piece of work. */
export class SharedWork {
  private readonly running = new Map<string, Promise<unknown>>();

  /** Runs `work` unless work for `key` is already running; `key` must determine what it returns. */
  share<T>(key: string, work: () => Promise<T>): Promise<T> {
    const known = this.running.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const started = work().finally(() => this.running.delete(key));
    this.running.set(key, started);
    return started;
  }
}
