/**
 * Describes an engine that serves a model. Everything that swemake knows of starting one is in its file, and the registry has one
 * line for it. What endpoints answer is no matter of an engine: clients find that out by asking, since most endpoints were started by
 * others.
 */
import { shellWord } from '../../../basics/shell.ts';

/** What is served. `revision` null: the newest. */
export type Weights = { kind: 'hub'; id: string; revision: string | null } | { kind: 'path'; path: string };

/** What a project says of a model to serve. */
interface ToServe {
  /** What the model is called in requests, as a word of the shell. */
  name: string;
  /** null: only the arguments know. */
  weights: Weights | null;
  /** 0: none. */
  gpus: number;
  /** Address that it listens at; `{port}` stands for its port. */
  host: '127.0.0.1' | '0.0.0.0';
}

export interface ServingEngine {
  /** What a project writes as `serve.engine`. In keys of what the model answers. */
  readonly name: string;
  /** What it is, for the reference: without its name. */
  readonly summary: string;
  /** The path that answers with 200 when the model can be used. */
  readonly ready: string;
  /** Beginnings of variables of the host that it reads, besides those of CUDA, Python's libraries and the hub. */
  readonly variables: readonly string[];
  /** The words of its command. What the project adds follows them. */
  words(asked: ToServe): string[];
  /** The ending of its files of weights, if it takes one file and no folder. */
  readonly file?: `.${string}`;
  /** Of a model of the hub it takes no commit: it fetches the newest weights, whatever a key says. */
  readonly fetchesNewest?: true;
}

/** The weights as one word of the shell. */
export function reference(weights: Weights | null): string {
  if (weights === null) return "''";
  return shellWord(weights.kind === 'hub' ? weights.id : weights.path);
}

/** The option of a commit of the hub, for engines that have it under this name. */
export function revisionWords(weights: Weights | null): string[] {
  return weights?.kind === 'hub' && weights.revision !== null
    ? ['--revision', shellWord(weights.revision)]
    : [];
}

/** The options of the address, for engines that have them under these names. */
export function addressWords(host: string): string[] {
  return ['--host', host, '--port', '{port}'];
}
