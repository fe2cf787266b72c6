/** Names that stand for entries of another key: deployments and datasets. */
import { closest } from '../basics/suggest.ts';
import type { CheckContext } from './check-context.ts';
import { type KindFacts, kindOf, typesThat } from './kinds.ts';
import { namesIn, type Path } from './tree.ts';

/** Reports when the name at `path` is none of the project's deployments or datasets, or a deployment for other work. */
export function checkReference(
  kind: 'deployment' | 'dataset',
  path: Path,
  name: string | undefined,
  context: CheckContext,
  runs: KindFacts['runs'] = 'workspaces',
): void {
  const { draft, root, report } = context;
  const among = kind === 'deployment' ? 'deployments' : 'dataset';
  const known = namesIn(root, among);
  if (name !== undefined && kind === 'deployment') checkWork(path, name, context, runs);
  if (name === undefined || known.includes(name)) return;
  if (kind === 'deployment' && name === 'default' && draft.deployments?.default !== undefined) return;
  const near = closest(name, known);
  const listed = known.length === 0 ? `add it to ${among}` : `known: ${known.join(', ')}`;
  const remedy = near === null ? listed : `did you mean "${near}"?`;
  report('E111', path, `there is no ${kind} "${name}"`, remedy);
}

/** A deployment either opens workspaces or runs programs of the host. */
function checkWork(path: Path, name: string, { draft, report }: CheckContext, runs: KindFacts['runs']): void {
  const type = draft.deployments?.[name]?.type;
  const kind = kindOf(type);
  if (kind === undefined || kind.runs === runs) return;
  const does = kind.runs === 'programs' ? 'runs programs of the host' : 'opens workspaces';
  const needed = runs === 'programs' ? 'programs of the host are run here' : 'a workspace is needed here';
  const able = typesThat((one) => one.runs === runs);
  report('E134', path, `deployment "${name}" ${does}, and ${needed}`, `name a deployment with ${able}`);
}

/** Reports when the dataset at `path` is there but left out of validation: nothing is built for it then. */
export function checkValidated(path: Path, name: string | undefined, context: CheckContext): void {
  const only = context.draft.validation?.dataset;
  if (name === undefined || only === undefined || only === name) return;
  const known = namesIn(context.root, 'dataset');
  if (!known.includes(name) || !known.includes(only)) return;
  const message = `nothing is built for dataset "${name}": validation.dataset is "${only}"`;
  context.report('E132', path, message, 'remove validation.dataset, or use the same dataset');
}
