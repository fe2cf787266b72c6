/** Every ecosystem, one line each, in the order in which the reference names them and a repository's files tell them. */
import { cargoEcosystem } from './cargo/kind.ts';
import { cmakeEcosystem } from './cmake/kind.ts';
import { goEcosystem } from './go/kind.ts';
import { gradleEcosystem } from './gradle/kind.ts';
import type { EcosystemKind } from './kind.ts';
import { mavenEcosystem } from './maven/kind.ts';
import { npmEcosystem } from './npm/kind.ts';
import { pnpmEcosystem } from './pnpm/kind.ts';
import { pythonEcosystem } from './python/kind.ts';
import { yarnEcosystem } from './yarn/kind.ts';

export const ECOSYSTEMS: readonly EcosystemKind[] = [
  pythonEcosystem,
  goEcosystem,
  pnpmEcosystem,
  yarnEcosystem,
  npmEcosystem,
  cargoEcosystem,
  mavenEcosystem,
  gradleEcosystem,
  cmakeEcosystem,
];

/** What builds of any of them leave. An agent may use more languages than its task's. */
export const BUILD_OUTPUT = ECOSYSTEMS.flatMap(({ output = [] }) => output);

/** What logs of all languages say of a recipe. */
export const HINTS = ECOSYSTEMS.flatMap(({ hints = [] }) => hints);

/** The ecosystem of that name; the schema lets no other name through. */
export function ecosystemNamed(name: string): EcosystemKind {
  const found = ECOSYSTEMS.find((one) => one.name === name);
  if (found === undefined) throw new RangeError(`there is no ecosystem "${name}"`);
  return found;
}
