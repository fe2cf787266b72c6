/** Takes SWE-smith's names apart: `org/OWNER__REPO.COMMIT8` for mirrors, `OWNER__REPO.COMMIT8.BUG` for instances. */

export interface SmithName {
  owner: string;
  name: string;
  /** First eight digits of the upstream commit. */
  commit: string;
  /** `OWNER__REPO.COMMIT8`. */
  mirror: string;
}

/** Parts of a mirror's name, or null. Repository names hold dots, so it is read from the right. */
export function parseMirrorName(text: string): SmithName | null {
  const mirror = text.slice(text.lastIndexOf('/') + 1);
  const found = /^(.+?)__(.+)\.([0-9a-f]{7,40})$/.exec(mirror);
  return found === null ? null : { owner: found[1]!, name: found[2]!, commit: found[3]!, mirror };
}

/** Parts of an instance's name, or null. */
export function parseInstanceName(id: string): SmithName | null {
  return parseMirrorName(id.slice(0, Math.max(0, id.lastIndexOf('.'))));
}
