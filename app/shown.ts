/**
 * The one door to the terminal. What people are shown holds text of rows, logs, patches, models, file names and servers,
 * and none of its control sequences may reach the terminal: they can move the cursor, change what was said before, and
 * with some terminals run commands. So streams take only the type `Shown`, and only this module makes it. It escapes all
 * that was not put in by `coloured`.
 */
import { randomInt } from 'node:crypto';

declare const isShown: unique symbol;

/** Text that may be written to a terminal. */
export type Shown = string & { readonly [isShown]: true };

/**
 * Stands for the escape character in colours of ours until all other ones are escaped. It is another one in each process,
 * of a range for private use, so that a text cannot have it.
 */
const OURS = String.fromCodePoint(0xf0000 + randomInt(0xfffe));
const EVERY_OURS = new RegExp(OURS, 'gu');
const COLOUR = new RegExp(`${OURS}\\[[0-9;]*m`, 'gu');

/** `text` in the colour of that SGR code, such as `31`. */
export function coloured(code: string, text: string): string {
  return `${OURS}[${code}m${text}${OURS}[0m`;
}

/** Without colours of ours: what takes room on a line. */
export function withoutColours(text: string): string {
  return text.replace(COLOUR, '');
}

/**
 * Control characters but tab and line end, those of C1, and those that cannot be seen and turn the direction of writing,
 * join or hide others.
 */
const STEERING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** The text with control characters made visible: `\u001b` as `␛`. Line ends of other systems go. */
export function visible(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(STEERING, (character) => {
    const code = character.codePointAt(0)!;
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '\u2421' : '\ufffd';
  });
}

/** For people: all control characters are made visible, and colours of ours are put in. */
export function shown(text: string): Shown {
  return visible(text).replace(EVERY_OURS, '\u001b') as Shown;
}

/** One JSON value on a line of its own, for programs. Control characters are escaped as JSON allows, which changes no value. */
export function jsonLine(value: unknown): Shown {
  const text = JSON.stringify(value)
    .replaceAll('##[', '#\\u0023[')
    .replace(STEERING, (characters) =>
      [...Array(characters.length).keys()]
        .map((at) => `\\u${characters.charCodeAt(at).toString(16).padStart(4, '0')}`)
        .join(''),
    );
  return `${text}\n` as Shown;
}

/** Content such as logs, patches and files: as `shown` on a terminal; every byte as it is for a file or a program. */
export function content(
  text: string,
  { stdout }: { stdout: { readonly isTTY?: boolean | undefined } },
): Shown {
  return stdout.isTTY === true ? shown(text) : (text as Shown);
}

/**
 * Removes the last lines that were drawn. From the first column: a terminal shows Ctrl-C as ^C where the cursor was.
 */
export function redrawn(lines: number): Shown {
  return (lines === 0 ? '' : `\r\u001b[${lines}A\u001b[0J`) as Shown;
}

/** A command to GitHub's runner, which shows the message at a place of a file. */
export function annotation(
  severity: 'error' | 'warning',
  properties: Readonly<Record<string, string | number>>,
  message: string,
): Shown {
  const encoded = (text: string) =>
    visible(text).replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
  const named = Object.entries(properties).map(
    ([name, value]) => `${name}=${encoded(`${value}`).replace(/:/g, '%3A').replace(/,/g, '%2C')}`,
  );
  return `::${severity} ${named.join(',')}::${encoded(message)}\n` as Shown;
}

/** For GitHub's runner, which takes lines of this form for commands wherever they come from: none of them is one. */
export function withoutCommands(text: string): string {
  return text.replace(/^([^\S\n]*):(?=:)/gm, '$1: ').replace(/##(?=\[)/g, '# #');
}
