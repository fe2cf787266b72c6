/** No control sequence of foreign text reaches a terminal, and no line of it is a command to GitHub's runner. */
import { describe, expect, test } from 'vitest';
import type { Output } from '../../app/io.ts';
import { annotation, coloured, content, jsonLine, shown, withoutCommands } from '../../app/shown.ts';

/** Characters that a terminal acts on, or that are invisible. */
const ANY_CONTROL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/u;
const HOSTILE =
  'a\u001b]0;title\u0007b\u001b[2Jc\u009b31md\re\bf\u202eg\u200bh\u2028i\ufeffj\u{e0041}k\u007f\u0000\u0085';

describe('the one door', () => {
  test('a stream takes nothing that was not escaped', () => {
    const stream: Output = { write: (text) => text };
    // @ts-expect-error a text that was not escaped
    stream.write('text');
    expect(stream.write(shown('text'))).toBe('text');
  });

  test('control characters are made visible, and colours of ours stay', () => {
    expect(shown(HOSTILE)).not.toMatch(ANY_CONTROL);
    expect(shown(`a\tb\r\nc\n${coloured('31', HOSTILE)}`)).toMatch(
      /^a\tb\nc\n\u001b\[31m[^\u001b]*\u001b\[0m$/,
    );
    expect(shown('é 漢 🙂 ✓')).toBe('é 漢 🙂 ✓');
  });

  test('JSON says the same and holds no control character', () => {
    const value = { text: HOSTILE, list: ['##[error]x', '::error::y'] };
    expect(jsonLine(value).trimEnd()).not.toMatch(ANY_CONTROL);
    expect(JSON.parse(jsonLine(value))).toEqual(value);
    expect(withoutCommands(jsonLine(value))).toBe(jsonLine(value));
  });

  test('content is escaped on a terminal, and every byte as it is elsewhere', () => {
    expect(content(HOSTILE, { stdout: {} })).toBe(HOSTILE);
    expect(content(HOSTILE, { stdout: { isTTY: true } })).not.toMatch(ANY_CONTROL);
  });

  test('GitHub gets no commands but ours, and ours hold no others', () => {
    const lines = ['::error::x', '  ::set-output name=a::b', 'x ##[error]y', 'std::cout << a::b', '::'];
    const written = withoutCommands(lines.join('\n')).split('\n');
    for (const line of written) expect(line).not.toMatch(/^\s*::|##\[/);
    expect(written[3]).toBe(lines[3]);
    const ours = annotation('error', { file: 'a,b:c\n::warning::', line: 1 }, 'x\n::error::y\r%\u001b');
    expect(ours).toBe('::error file=a%2Cb%3Ac%0A%3A%3Awarning%3A%3A,line=1::x%0A::error::y␍%25␛\n');
  });
});
