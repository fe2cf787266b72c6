/** Expected failures are values: a `Result` is either a value or the fault that prevented it. */
export type Result<T, F> = { ok: true; value: T } | { ok: false; fault: F };

export function success<T>(value: T): { ok: true; value: T } {
  return { ok: true, value };
}

export function fault<F>(value: F): { ok: false; fault: F } {
  return { ok: false, fault: value };
}
