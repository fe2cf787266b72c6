/** What builds should report about the pages that they saw: where a page is not quite as it was at its moment. */
import { plural } from '../../../basics/plural.ts';
import type { IndexNote } from '../../../contract/build-index.ts';
import type { PageAsOf } from '../as-of.ts';

/** A page that somebody asked for. */
interface Asked {
  asOf: string | null;
  index: number;
  project: string;
}

/** Notes about pages, and when each was asked for last. */
export class Notes {
  private readonly kept = new Map<string, { asOf: string | null; note: IndexNote; at: number }>();

  add(asked: Asked, { earliest, untimed, files }: PageAsOf): void {
    const { asOf, project } = asked;
    const text =
      earliest !== null
        ? `the index has nothing of ${asOf} or before; ${earliest.version} of ${earliest.day}, its earliest, stands in`
        : `the index does not tell when ${untimed} of its ${plural(files.length, 'file')} came, so they are all shown`;
    if (earliest !== null || untimed > 0)
      this.kept.set(nameOf(asked), { asOf, note: { project, text }, at: Number.NEGATIVE_INFINITY });
  }

  asked(asked: Asked): void {
    const kept = this.kept.get(nameOf(asked));
    if (kept !== undefined) kept.at = performance.now();
  }

  /** Of pages of `asOf` that were asked for since a moment of performance.now(), by project. */
  since(asOf: string | null, moment: number): IndexNote[] {
    return [...this.kept.values()]
      .filter((one) => one.asOf === asOf && one.at >= moment)
      .map(({ note }) => note)
      .sort((a, b) => (a.project < b.project ? -1 : 1));
  }
}

function nameOf({ asOf, index, project }: Asked): string {
  return `${asOf} ${index} ${project}`;
}
