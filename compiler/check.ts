/**
 * What the schema cannot say: names that must exist, expressions that must parse, keys that only make sense
 * together. Checks see a draft: a config from which invalid values were taken out, so that one error never hides
 * or causes another.
 */
import type { Project } from '../schemas/generated/project.ts';
import { checkAgent } from './check-agent.ts';
import { checkCache } from './check-cache.ts';
import type { CheckContext, Draft } from './check-context.ts';
import { checkDatasets } from './check-datasets.ts';
import { checkDeployments } from './check-deployments.ts';
import { checkEvaluation } from './check-evaluation.ts';
import { checkNodes } from './check-nodes.ts';
import { checkRecipes } from './check-recipes.ts';
import { checkReference } from './check-reference.ts';
import { checkTrainers } from './check-trainers.ts';
import { checkTraining } from './check-training.ts';
import type { DiagnosticSink } from './diagnostic.ts';
import { kindOf } from './kinds.ts';
import { SECRET_KEYS, schemaAt } from './schema.ts';
import { findToken, isCredential } from './tokens.ts';
import { type Node, namesIn, type Path, spanOf } from './tree.ts';

/** Runs all checks. */
export function checkProject(
  draft: Draft<Project>,
  root: Node,
  exists: CheckContext['exists'],
  sink: DiagnosticSink,
): void {
  const report: CheckContext['report'] = (code, path, message, remedy, at = 'value') =>
    sink.add(code, spanOf(root, path, at), message, remedy);
  const context: CheckContext = { draft, root, exists, report };
  checkTexts(root, [], context);
  checkDatasets(context);
  checkRecipes(context);
  checkDeployments(context);
  checkValidation(context);
  checkAgent(context);
  checkTraining(context);
  checkTrainers(context);
  checkEvaluation(context);
  checkCache(context);
  checkNodes(context);
}

function checkTexts(node: Node, path: Path, context: CheckContext): void {
  if (node.kind === 'map')
    for (const [key, entry] of node.entries) checkTexts(entry.value, [...path, key], context);
  else if (node.kind === 'list')
    for (const [index, item] of node.items.entries()) checkTexts(item, [...path, `${index}`], context);
  else if (typeof node.value === 'string') checkText(node.value, path, context);
}

function checkText(text: string, path: Path, { report }: CheckContext): void {
  const isSecret = () => schemaAt(path)?.['x-secret'] === true;
  const isRecipe = path[0] === 'environments';
  // A variable of a recipe may hold a key that only looks like one, for tests.
  if (findToken(text) !== null || (!isRecipe && isCredential(text) && isSecret()))
    report('E116', path, 'an access token is written here', remedyFor(isSecret(), isRecipe));
  if (text.includes('\0')) report('E106', path, 'text cannot hold a NUL character', 'remove \\0');
}

/** What works instead of a token, at its place. */
function remedyFor(isSecret: boolean, isRecipe: boolean): string {
  const revoke = 'revoke it if this file was shared, and';
  if (isSecret) return `${revoke} write \${secret:NAME}`;
  return isRecipe
    ? `${revoke} write $NAME in a command, with env: { NAME: "\${secret:NAME}" } in the recipe`
    : `${revoke} leave it out: this key can have no secret (\${secret:NAME} is for ${SECRET_KEYS})`;
}

function checkValidation(context: CheckContext): void {
  const { draft, root, report } = context;
  const { deployment, dataset, gold_runs: goldRuns } = draft.validation ?? {};
  checkReference('deployment', ['validation', 'deployment'], deployment, context);
  checkReference('dataset', ['validation', 'dataset'], dataset, context);
  const names = namesIn(root, 'deployments').filter(
    (name) => kindOf(draft.deployments?.[name]?.type)?.runs !== 'programs',
  );
  if (deployment === undefined && names.length > 1) {
    const message = `there are ${names.length} deployments, and validation does not say which one it uses`;
    report('E104', ['validation'], message, `add validation: { deployment: ${names[0]} }`, 'key');
  }
  if (goldRuns === 1)
    report(
      'W203',
      ['validation', 'gold_runs'],
      'one run cannot show that tests are flaky',
      'write 2 or more',
    );
}
