/** Reads the Arrow files of a Hugging Face `save_to_disk` folder, one record batch in memory at a time. */
import { createReadStream } from 'node:fs';
import { numbered, plain, type ReadRow, unreadable } from '../../../formats/row.ts';

/** The rows of the files (Arrow IPC, stream or file form), numbered through. */
export async function* readArrow(paths: string[]): AsyncGenerator<ReadRow> {
  const { RecordBatchReader } = await import('apache-arrow');
  let line = 0;
  for (const path of paths) {
    // The reader takes an error of the disk for the end of the file.
    let broken: Error | null = null;
    const file = createReadStream(path).on('error', (error) => {
      broken = error;
    });
    try {
      const reader = await RecordBatchReader.from(file);
      await reader.open();
      if (broken !== null) throw broken;
      // To the reader, a file that is empty or something else is a table without columns and rows.
      if (reader.schema === undefined) throw new Error('the file is empty, or no Arrow file');
      for await (const batch of reader) {
        for (const row of batch) yield numbered(++line, plain(row?.toJSON()));
      }
      if (broken !== null) throw broken;
    } catch (error) {
      throw broken ?? unreadable('Arrow', error);
    }
  }
}
