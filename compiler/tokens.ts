/**
 * Recognises access tokens by their looks. A project file goes into git and its lines into logs, so a token in
 * the clear is an error, and no message may repeat it.
 */

/** Forms with a fixed beginning and enough random characters behind it that ordinary text does not match. */
const TOKENS: readonly RegExp[] = [
  /\bhf_[A-Za-z0-9]{20,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bsk-(?:[A-Za-z]+-)*[A-Za-z0-9_-]{20,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bxox[abposr]-[A-Za-z0-9-]{10,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bpypi-[A-Za-z0-9_-]{30,}/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/g,
];

/**
 * The beginnings of keys of known providers, with fewer characters behind them. Such a text is surely a credential only where
 * one is wanted. Digits among the letters tell it from placeholders such as `sk-no-key-required`.
 */
const KEY =
  /(?<![A-Za-z0-9_-])(?:(?:sk|pk|gsk|hf|gh[pousr]|glpat|xox[abposr]|xai|nvapi|pplx|tgp|fw|r8)[-_]|AKIA|ASIA|AIza)(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[A-Za-z0-9_-]{8,}/g;

/**
 * `user:password@` in a URL. The password may also be a placeholder, or variables of the shell, `$NAME`, `${NAME}` or
 * `$(command)`: these are fine.
 */
const BASIC_AUTH =
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*:(?!(?:\$[A-Za-z_]\w*|\$\{[^\s}]*\}|\$\([^\s)]*\))+@)([^\s/@]+)@/gi;

/** Where the first token in `text` starts and ends; null: there is none. */
export function findToken(text: string): { start: number; end: number } | null {
  const found = matches(text).sort((a, b) => a.start - b.start);
  return found[0] ?? null;
}

/** Whether `text`, the value of a key that wants a credential, contains one in the clear. */
export function isCredential(text: string): boolean {
  return text.match(KEY) !== null;
}

/** `text` with asterisks in place of tokens, at the same length. Tokens of more than 12 characters keep their first four. */
export function maskTokens(text: string): string {
  let masked = text;
  const keys = [...text.matchAll(KEY)].map((one) => ({ start: one.index, end: one.index + one[0].length }));
  for (const { start, end } of [...matches(text), ...keys]) {
    const shown = end - start > 12 ? start + 4 : start;
    masked = masked.slice(0, shown) + '*'.repeat(end - shown) + masked.slice(end);
  }
  return masked;
}

function matches(text: string): { start: number; end: number }[] {
  const found = TOKENS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((one) => ({ start: one.index, end: one.index + one[0].length })),
  );
  for (const one of text.matchAll(BASIC_AUTH)) {
    const end = one.index + one[0].length - 1;
    found.push({ start: end - one[1]!.length, end });
  }
  return found;
}
