/** Text by code points, as Python counts. Fast for text without characters beyond U+FFFF. */

export interface Points {
  length: number;
  /** The first `count` code points. */
  first(count: number): string;
  /** The last `count` code points. */
  last(count: number): string;
}

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;

export function pointsOf(text: string): Points {
  if (!PAIR.test(text))
    return {
      length: text.length,
      first: (count) => text.slice(0, count),
      last: (count) => text.slice(text.length - count),
    };
  const points = [...text];
  return {
    length: points.length,
    first: (count) => points.slice(0, count).join(''),
    last: (count) => points.slice(points.length - count).join(''),
  };
}

/** The text, or its first `most` code points and `note`. */
export function cutText(text: string, most: number, note = '\n... (truncated)'): string {
  const points = pointsOf(text);
  return points.length <= most ? text : points.first(most) + note;
}
