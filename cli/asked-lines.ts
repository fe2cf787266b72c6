/** What a build asked again because it was not found earlier, and which answers still rest on that, as lines. */
import type { Asked } from '../app/asking.ts';
import type { Rests } from '../app/rests.ts';
import { visible } from '../app/shown.ts';
import { formatCount } from '../basics/plural.ts';

/** Questions that are named one by one. */
const NAMED = 5;

/** What asking came to; no line where nothing was asked. */
export function askedLines({ changed, same, unanswered }: Asked): string[] {
  const count = changed.length + same.length + unanswered.length;
  if (count === 0) return [];
  const things = count === 1 ? '1 thing that was' : `${formatCount(count)} things that were`;
  const parts = [
    ...(changed.length > 0
      ? [`${formatCount(changed.length)} ${changed.length === 1 ? 'is' : 'are'} there now`]
      : []),
    ...(same.length > 0 ? [`${formatCount(same.length)} still not`] : []),
    ...(unanswered.length > 0
      ? [`${formatCount(unanswered.length)} without an answer, so nothing changes`]
      : []),
  ];
  const named = [
    ...changed.map((question) => `there now: ${question}`),
    ...unanswered.map(({ question, why }) => `no answer: ${question}: ${why}`),
  ];
  const more = named.length > NAMED ? [`  … and ${formatCount(named.length - NAMED)} more`] : [];
  return [
    `asked again for ${things} not found: ${parts.join(', ')}`,
    ...named.slice(0, NAMED).map((line) => `  ${visible(line)}`),
    ...more,
  ];
}

/** Answers that rest on what was not found. */
export function restLines(all: readonly Rests[], retry: string): string[] {
  return all.flatMap(({ address, count, what, questions, first, next }) => {
    const who = count === 1 ? `1 ${what} rests` : `${formatCount(count)} ${what}s rest`;
    const others = questions > 1 ? ` and ${formatCount(questions - 1)} more` : '';
    return [
      `${address.padEnd(20)} ${who} on "not found": ${visible(first)}${others}`,
      `${' '.repeat(20)}   a build asks again after ${timeText(next)}, and at once:`,
      `${' '.repeat(20)}   ${retry}`,
    ];
  });
}

/** UTC, to the minute. */
export function timeText(at: number): string {
  return new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/:\d\d\.\d+Z$/, 'Z');
}
