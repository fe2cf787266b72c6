/** Reads Parquet files, one row group in memory at a time. */
import { numbered, plain, type ReadRow, unreadable } from '../../../formats/row.ts';

/** The rows of the files, numbered through. */
export async function* readParquet(paths: string[]): AsyncGenerator<ReadRow> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import('hyparquet');
  const { compressors } = await import('hyparquet-compressors');
  let line = 0;
  for (const path of paths) {
    try {
      const file = await asyncBufferFromFile(path);
      // Three lengths and marks of four bytes are the least; the library says nothing useful of what is shorter.
      if (file.byteLength < 12) throw new Error('the file is empty or cut off');
      const metadata = await parquetMetadataAsync(file);
      let rowStart = 0;
      for (const group of metadata.row_groups) {
        const rowEnd = rowStart + Number(group.num_rows);
        const rows = await parquetReadObjects({ file, metadata, compressors, rowStart, rowEnd });
        for (const row of rows) yield numbered(++line, plain(row));
        rowStart = rowEnd;
      }
    } catch (error) {
      throw unreadable('Parquet', error);
    }
  }
}
