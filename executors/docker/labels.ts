/** Labels of all that is made in an engine: only what carries them is ever removed. */
export const LABELS = {
  /** `image` or `workspace`. */
  what: 'swemake',
  /** The run that it belongs to. */
  run: 'swemake.run',
  /** The deployment that opened it: no two have the same. */
  deployment: 'swemake.deployment',
  /** The process that owns it. */
  owner: 'swemake.owner',
} as const;
