/** What a test says, as a question that the stages which it makes ask. */
import type { Json } from '../../basics/canonical.ts';
import { success } from '../../basics/result.ts';
import type { QuestionKind } from '../../contract/question.ts';

export function said<V extends Json>(name: string, value: () => V): QuestionKind<null, V> {
  return { name, changes: false, answer: async () => success(value()) };
}
