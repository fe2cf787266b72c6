/** Keys of a server that are laid over those of another one: another form of the same setting replaces it. */

interface ServeKeys {
  engine?: unknown;
  command?: unknown;
  hosts?: unknown;
  replicas?: unknown;
}

export function mergeServe<B extends ServeKeys, O extends ServeKeys>(base: B, own: O): B & O {
  const kept: ServeKeys = { ...base };
  if (own.command !== undefined) delete kept.engine;
  if (own.engine !== undefined) delete kept.command;
  if (own.replicas !== undefined) delete kept.hosts;
  if (own.hosts !== undefined) delete kept.replicas;
  return { ...kept, ...own } as B & O;
}
