/**
 * Values that are computed once per run and shared by all its stages, such as a parsed catalogue. They belong to
 * the opened cache, and go with it. What was rejected is computed again by the next caller.
 */

const VALUES = new WeakMap<object, Map<string, unknown>>();

/** The value under `name`, made when it is first asked for. `keep`: whether the next caller gets this one, too. */
export function once<T>(
  owner: object,
  name: string,
  make: () => Promise<T>,
  keep: (value: T) => boolean = () => true,
): Promise<T> {
  const values = valuesOf(owner);
  const known = values.get(name) as Promise<T> | undefined;
  if (known !== undefined) return known;
  const making = make();
  values.set(name, making);
  const forget = () => {
    if (values.get(name) === making) values.delete(name);
  };
  making.then((value) => keep(value) || forget(), forget);
  return making;
}

/**
 * A value that each run has one of, such as a limiter or the mirrors of sources. Only who holds the function that this
 * gives can reach it, so nothing comes to a stage by a name that another one might use.
 */
export function perRun<S extends { shared: object }, T>(make: (services: S) => T): (services: S) => T {
  const values = new WeakMap<object, { value: T }>();
  return (services) => {
    const known = values.get(services.shared) ?? { value: make(services) };
    values.set(services.shared, known);
    return known.value;
  };
}

/** Lets go of the values whose names begin with `prefix`. */
export function forget(owner: object, prefix: string): void {
  const values = VALUES.get(owner);
  for (const name of values?.keys() ?? []) if (name.startsWith(prefix)) values!.delete(name);
}

function valuesOf(owner: object): Map<string, unknown> {
  const known = VALUES.get(owner);
  if (known !== undefined) return known;
  const made = new Map<string, unknown>();
  VALUES.set(owner, made);
  return made;
}
