/** All engines that serve models, one line each, in the order in which the reference names them. */
import type { ServingEngine } from './kind.ts';
import { llamaCpp } from './llama-cpp.ts';
import { sglang } from './sglang.ts';
import { vllm } from './vllm.ts';

export const ENGINES: readonly ServingEngine[] = [vllm, sglang, llamaCpp];

/**
 * The engine that a project names; null: its own command serves the model.
 * @throws Error for a name that the schema does not know.
 */
export function findEngine(name: string | undefined): ServingEngine | null {
  if (name === undefined) return null;
  const engine = ENGINES.find((one) => one.name === name);
  if (engine === undefined) throw new Error(`there is no engine "${name}"`);
  return engine;
}
