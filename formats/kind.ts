/**
 * Describes a format of dataset rows. Everything about a format is in its folder, and the registry has one line for it.
 * No other code compares names of formats: the compiler, the stages and the commands ask a format what it is.
 */
import type { BadRow } from '../schemas/instance.ts';
import type { PartialRecipe } from '../schemas/recipe.ts';
import type { Columns } from './columns.ts';
import type { Draft } from './draft.ts';
import type { NumberedRow, RawRow } from './row.ts';
import type { SourceMap } from './source-map.ts';

export type FormatKind = ReadableFormat | DerivedFormat;
/** Its rows are read as they are. */
export type ReadableFormat = InstanceFormat | WrappedFormat;

/**
 * How well a row's columns fit a format; the best fit wins, and of equal fits the format that is registered first.
 * `only`: no other format has these columns. `marked`: columns of several formats, and a mark of this one. `named`: columns
 * of several formats, in a dataset with this one's name. `possible`: it can be read, as by other formats.
 */
export const FITS = ['possible', 'named', 'marked', 'only'] as const;
type Fit = (typeof FITS)[number];

interface Common {
  /** What a project writes as `format`. In the key of the dataset. */
  readonly name: string;
  /** What its rows are, for the reference: a phrase without its name. */
  readonly summary: string;
  /** How well a row fits; null: not at all. `source`: the dataset that it is from, as far as that is known. */
  fit(row: RawRow, source: string): Fit | null;
  /** Seconds that one run of an instance's tests may take where the project does not say. */
  readonly testTimeout: number;
  /** Its rows often name a Python, so no environment is begun before they are read. */
  readonly namesPython: boolean;
  /** Its rows run code that the user chose. Rows of other formats run code that the authors of the dataset chose. */
  readonly isOwnCode: boolean;
  /** Its line in the table of the page on datasets. */
  readonly docs: FormatDocs;
  /** What `init` writes for its rows. */
  readonly init: FormatInit;
  /** A whole row, and what it is read as: tests of all formats begin with it. */
  readonly example: FormatExample;
}

/** Each row is an instance. */
export interface InstanceFormat extends Common {
  readonly rows: 'instances';
  /** Gives a row the columns that `read` knows. Absent: it has them. */
  convert?(row: NumberedRow): NumberedRow | BadRow;
  /** `convert` keeps FAIL_TO_PASS and PASS_TO_PASS, where a row has them. */
  readonly keepsLists?: boolean;
  /** Reads a row. Problems go to `columns`; the draft of a bad row is not used. */
  read(columns: Columns, sources: SourceMap): Omit<Draft, 'line'>;
  /** The prebuilt image of an instance, if no column of its row names one; null: there is none. */
  image(instanceId: string): string | null;
}

/** Each row holds an instance of another format, which the project names as `inner`, or else the columns tell. */
export interface WrappedFormat extends Common {
  readonly rows: 'wrapped';
  /** The row of the instance, and the dataset that it is from, as far as the outer row says it. */
  unwrap(row: NumberedRow): { row: NumberedRow; source: string } | BadRow;
}

/** Each row names a change of some code, and swemake derives the patch from the code. */
export interface DerivedFormat extends Common {
  readonly rows: 'derived';
  /** Reads the columns that recipes match. The patch is derived later. */
  outline(row: RawRow): { repo: string; recipe: PartialRecipe };
}

interface FormatDocs {
  /** What the patch does. */
  readonly patch: string;
  readonly code: string;
  readonly dependencies: string;
  /** Which rows share an environment. */
  readonly environment: string;
}

export interface FormatInit {
  /** The command that imports the recipes of the dataset's original tools, in words and as `import-recipes --from` has it. */
  readonly recipes: { readonly what: string; readonly from: string } | null;
  /** Repositories whose recipes are built in, in words. */
  readonly builtIn?: string;
  /** The style of conversations that models for such rows are trained on. */
  readonly style: 'xml' | 'ticks';
  /** Makes `init --template NAME`, with a dataset of the hub. */
  readonly template: FormatTemplate | null;
}

interface FormatTemplate {
  readonly source: string;
  readonly split: string;
  readonly what: string;
  /** Models are evaluated on it, and nothing is trained. */
  readonly isBenchmark: boolean;
  /** Other datasets of the hub with rows of this format, by their ids. */
  readonly others: { readonly ids: RegExp; readonly split: string } | null;
}

interface FormatExample {
  readonly row: RawRow;
  /** The expected instance; of a derived format, its outline. */
  readonly instance: Partial<Omit<Draft, 'line'>>;
  /** The image of the instance, with its registry and tag; null: none. */
  readonly image: string | null;
}

/** No recipes of their own, no dataset to begin with. */
export const NO_INIT: FormatInit = { recipes: null, style: 'ticks', template: null };
