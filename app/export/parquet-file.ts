/** A Parquet file that is written row group by row group, so that a table may be larger than memory. */
import type { Json } from '../../basics/canonical.ts';
import { type ColumnType, columnsOf, schemaOf } from '../../trainers/rows/parquet.ts';

export type TableRow = Record<string, Json>;
export type Columns = Readonly<Record<string, ColumnType>>;

/** Rows of a row group, and characters of text in it. */
const MOST_ROWS = 20_000;
const MOST_TEXT = 32 * 1024 ** 2;

type Writer = InstanceType<typeof import('hyparquet-writer').ParquetWriter>;

export class ParquetFile {
  readonly #columns: Columns;
  readonly #writer: Writer;
  #rows: TableRow[] = [];
  #text = 0;
  count = 0;

  private constructor(columns: Columns, writer: Writer) {
    this.#columns = columns;
    this.#writer = writer;
  }

  static async create(path: string, columns: Columns): Promise<ParquetFile> {
    const { fileWriter, ParquetWriter } = await import('hyparquet-writer');
    const options = { writer: fileWriter(path), schema: schemaOf(columns) };
    return new ParquetFile(
      columns,
      new ParquetWriter(options as ConstructorParameters<typeof ParquetWriter>[0]),
    );
  }

  async add(row: TableRow): Promise<void> {
    this.#rows.push(row);
    this.count += 1;
    this.#text += textIn(Object.values(row));
    if (this.#rows.length >= MOST_ROWS || this.#text >= MOST_TEXT) await this.#flush();
  }

  async finish(): Promise<void> {
    await this.#flush();
    await this.#writer.finish();
  }

  async #flush(): Promise<void> {
    if (this.#rows.length === 0) return;
    const columnData = columnsOf(this.#rows, this.#columns) as Parameters<Writer['write']>[0]['columnData'];
    await this.#writer.write({ columnData, rowGroupSize: this.#rows.length });
    this.#rows = [];
    this.#text = 0;
  }
}

function textIn(values: readonly Json[]): number {
  return values.reduce((sum: number, value) => {
    if (typeof value === 'string') return sum + value.length;
    return Array.isArray(value) ? sum + textIn(value) : sum;
  }, 0);
}
