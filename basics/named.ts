/** Lists names in a message: the first three, and how many more there are. */

/** `first, second, third and 4 more`. */
export function named(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => (name.length > 200 ? `${name.slice(0, 200)}…` : name));
  return names.length > 3 ? `${shown.join(', ')} and ${names.length - 3} more` : shown.join(', ');
}
