/** The folder with the source of an agent that is in no package index, such as SWE_AGENT_SOURCE says; undefined: not given. */
export function sourceOf(name: string): string | undefined {
  return process.env[`${name.toUpperCase().replaceAll('-', '_')}_SOURCE`];
}
