/** Names of items that are rollouts: `INSTANCE#SAMPLE`. */

export function itemName(instance: string, sample: string): string {
  return `${instance}#${sample}`;
}

/** The instance and the sample of an item; an instance_id may hold a # itself. */
export function splitItem(name: string): { instance: string; sample: string } {
  const at = name.lastIndexOf('#');
  return { instance: name.slice(0, at), sample: name.slice(at + 1) };
}

/** Whether a sample of rollouts is the agent's own: these are numbered, and a baseline's has its name. */
export function isNumbered(sample: string): boolean {
  return /^\d+$/.test(sample);
}
