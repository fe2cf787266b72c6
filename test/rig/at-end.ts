/** What is left to do when the test file ends; at-end.setup.ts does it. */
const actions: (() => unknown)[] = [];

/** Does it when the test file ends, the last one first; may be called inside a test, where vitest passes over `afterAll`. */
export function atEnd(action: () => unknown): void {
  actions.push(action);
}

export async function end(): Promise<void> {
  while (actions.length > 0) await actions.pop()!();
}
