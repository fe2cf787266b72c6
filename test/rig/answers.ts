/** What a cache holds, read without a sweep of what killed builds left. */
import { binaryKey, openDatabase } from '../../cache/database.ts';
import type { ActionRecord } from '../../schemas/record.ts';

/** The last answer to each item, by `project/stage.dataset@item`. */
export async function answersIn(cache: string): Promise<Map<string, ActionRecord>> {
  const database = await openDatabase(`${cache}/records.mdb`);
  try {
    const found = new Map<string, ActionRecord>();
    for (const { key: item, value } of database.latest.getRange({})) {
      const record = database.records.get(binaryKey(value.key));
      if (record !== undefined) found.set(item, record);
    }
    return found;
  } finally {
    await database.close();
  }
}
