/** Interpreters and the Python provider as the stages use them: found once per run, remembered between runs. */
import type { Json } from '../../cache/canonical.ts';
import type { Infra } from '../../schemas/outcome.ts';
import type { Result } from '../../schemas/result.ts';
import { findInterpreter, type Interpreter } from '../python/interpreter.ts';
import { type PythonProvider, pythonProvider } from '../python/provider.ts';
import { sourceDepsOf } from '../source/instance-source.ts';
import type { Services } from '../stage.ts';

/** The interpreter for a recipe's `python`; null is the host's own python3. */
export function interpreterFor(
  version: string | null,
  services: Services,
): Promise<Result<Interpreter, Infra>> {
  const name = `interpreter ${version}`;
  const known = services.shared.get(name) as Promise<Result<Interpreter, Infra>> | undefined;
  if (known !== undefined) return known;
  const { memos } = services.cache.database;
  const finding = findInterpreter(version, {
    env: services.env,
    memo: {
      get: (key) => memos.get(`python ${key}`) as string | undefined,
      set: (key, value) => void memos.put(`python ${key}`, value),
    },
  });
  services.shared.set(name, finding);
  return finding;
}

/** The provider that the project asks for. */
export function providerFor(services: Services): PythonProvider {
  const { provider } = services.config.environments.python;
  const { index } = sourceDepsOf(services);
  return pythonProvider(provider, {
    index,
    toolsFolder: services.cache.folder.tools,
    signal: services.signal,
  });
}

/** What a layer's making depends on beside its recipe and source. */
export function pythonIdentity(interpreter: Interpreter, services: Services): Record<string, string> {
  return providerFor(services).identity(interpreter);
}

/**
 * Identities of the interpreters for each of `versions`, which are written as recipes do, with "" for the host's
 * own; one that is gone is "missing".
 */
export async function interpreterFacts(versions: Iterable<string>, services: Services): Promise<Json> {
  const facts: Record<string, Json> = {};
  for (const version of [...versions].sort()) {
    const found = await interpreterFor(version === '' ? null : version, services);
    facts[version] = found.ok ? pythonIdentity(found.value, services) : 'missing';
  }
  return facts;
}
