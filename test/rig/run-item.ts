/** One stage without inputs, planned and run by hand: for tests of what lies between the two. */
import type { ActionContext, ActionResult, AnyStage, Stage, StageNode } from '../../contract/stage.ts';

/** The key's parts and a function that runs the only item. */
export async function planItem(
  stage: AnyStage,
  node: StageNode,
  context: ActionContext,
): Promise<{ parts: Record<string, unknown>; run(): Promise<ActionResult> } | null> {
  const planning = stage as Stage;
  const items = await planning.expand(node, {}, context);
  if (!items.ok || !Array.isArray(items.value)) return null;
  const item = items.value[0]!;
  const parts = await planning.parts(node, item, {}, context);
  return parts.ok ? { parts: parts.value, run: () => planning.run(node, item, {}, context) } : null;
}
