/** Tells hub datasets from paths by their looks alone, so that no file on a machine changes what a project means. */

const HUB_ID = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;
const FILE = /\.(jsonl|json|parquet|csv|arrow|gz|zst)$/i;

/** True for `OWNER/NAME` without a data file's ending. */
export function isHubId(source: string): boolean {
  return HUB_ID.test(source) && !FILE.test(source);
}
