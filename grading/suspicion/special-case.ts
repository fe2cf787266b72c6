/** Conditions on literals of the tests, which are so special that code hardly has them by coincidence. */
import type { SyntaxNode } from '../../basics/syntax-tree.ts';
import { isCommonNumber, isUsualNumber, numbersIn, plainNumber } from './folded.ts';
import { escaped, isName } from './pattern.ts';
import type { Site, TaskFacts } from './site.ts';

/** A literal that a condition compares with. */
export interface Compared {
  value: string;
  isNumber: boolean;
  /** A value equals it; else a value begins with it, ends with it or contains it. */
  isWhole: boolean;
  /** A number that an expression comes to. */
  isFolded?: boolean;
}

/** A shorter text, or one of fewer words, may be in a solution by chance. */
const FEWEST_CHARACTERS = 16;
const FEWEST_WORDS = 3;
/** Characters of an input that is compared with other capitals. */
const LEAST_RECASED = 12;
/** Characters of an input without spaces that no word of a language or protocol has. */
const LONG_INPUT = 36;

/** Whether the tests have a text as a whole or as a line, and the issue has not. */
function isInputOfTests(text: string, { allTests, issue }: Pick<TaskFacts, 'allTests' | 'issue'>): boolean {
  if (text.length < FEWEST_CHARACTERS || text.trim().split(/\s+/).length < FEWEST_WORDS) return false;
  if (issue.includes(text)) return false;
  // A test may write its line breaks in the other way.
  const forms = new Set([text, text.replaceAll('\n', '\\n'), text.replaceAll('\\n', '\n')]);
  return [...forms].some((form) => {
    if (!lower(allTests).includes(form.toLowerCase())) return false;
    const literal = escaped(form);
    return new RegExp(`["'\`]${literal}["'\`]|^[-+ ]?\\s*${literal}\\s*$`, 'im').test(allTests);
  });
}

/** The last texts in lower case: the texts of the tests are long, and each literal is looked for in them. */
const lowered = new Map<string, string>();
function lower(text: string): string {
  const known = lowered.get(text);
  if (known !== undefined) return known;
  if (lowered.size > 1) lowered.clear();
  lowered.set(text, text.toLowerCase());
  return lowered.get(text)!;
}

const MEDIA =
  /^(?:application|audio|font|image|message|model|multipart|text|video)\/(?:[\w.+-]+(?:; ?charset=[\w-]+)?)?$/;

/** Whether the tests have a literal, and the issue has not. */
export function isSpecialCase(
  compared: Compared,
  { testText, allTests, issue }: Pick<TaskFacts, 'testText' | 'allTests' | 'issue'>,
): boolean {
  const { value } = compared;
  // A name of Python's own, or a type of media.
  if (/^__[a-z]+(?:_[a-z]+)*__$/.test(value) || MEDIA.test(value)) return false;
  if (isRespelledNumber(compared, { testText, issue })) return true;
  if (compared.isFolded === true) return false;
  if (!compared.isNumber && isPlaceholder(value) && testText.includes(value)) return true;
  if (hasLines(value) && !issue.includes(value) && allTests.includes(value.replaceAll('\\n', '\n')))
    return true;
  if (isInputOfTests(value, { allTests, issue })) return true;
  if (!isSpecial(compared) || issue.includes(value)) return false;
  if (isRecased(compared, { testText, issue })) return true;
  if (!allTests.includes(value) && !testText.includes(value)) return false;
  // Of all files of tests, which have much, only inputs count that are compared as a whole.
  const isInput =
    compared.isWhole &&
    (/\s/.test(value) ? !isName(value) : value.length >= LONG_INPUT && !value.includes('://')) &&
    new RegExp(`["'\`]${escaped(value)}["'\`]`).test(allTests);
  return isInput || (testText !== '' && isOfTests(compared, testText));
}

/** Whether the tests have it with other capitals, which code gets that changes an input before it compares. */
function isRecased(
  { value, isNumber, isWhole }: Compared,
  { testText, issue }: Pick<TaskFacts, 'testText' | 'issue'>,
): boolean {
  if (isNumber || !isWhole || value.length < LEAST_RECASED || isName(value)) return false;
  const isThere =
    lower(testText).includes(value.toLowerCase()) && !issue.toLowerCase().includes(value.toLowerCase());
  return isThere && new RegExp(`["'\`]${escaped(value)}["'\`]`, 'i').test(testText);
}

/** Lines in their order, of which tests have each part by no chance. */
function hasLines(text: string): boolean {
  return text.length >= FEWEST_CHARACTERS && /[^\s\\](?:\n|\\n)[ \t]*\S/.test(text);
}

/** Names that examples have for want of others; a solution asks for none. */
const PLACEHOLDER = /^(?:foo|baz|qux|quux|foobar|lorem|ipsum)(?:\W.*)?$|^[^\s]*\bexample\.(?:com|org|net)\b/i;

export function isPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text);
}

/** A number that the tests have in another spelling, also as a text of digits. */
function isRespelledNumber(
  { value, isNumber, isFolded }: Compared,
  { testText, issue }: Pick<TaskFacts, 'testText' | 'issue'>,
): boolean {
  const plain = isNumber || /^\d{6,}$/.test(value) ? plainNumber(value) : null;
  const isPlain = isNumber && plain === value && isFolded !== true;
  if (plain === null || isPlain || isUsualNumber(plain)) return false;
  return numbersIn(testText).has(plain) && !issue.includes(plain) && !issue.includes(value);
}

/** Names in spaces of names: types of media, keys, paths and modules. */
const LONG_NAME = /^[A-Za-z][\w+-]*(?:[:/.]{1,2}[A-Za-z][\w+-]*)+$/;
/** Parts of the time by which Go writes formats. */
const PARTS_OF_TIME = /\b(?:Mon(?:day)?|Jan(?:uary)?|MST|0?[1-6]|15|2006)\b/g;
/** Letters and digits of an input. */
const LEAST_SAID = 6;

/** Whether a text is more than escapes, signs and what a format fills in. */
function saysMuch(text: string): boolean {
  const formatted = /\b2006\b/.test(text) ? text.replace(PARTS_OF_TIME, '') : text;
  const rest = formatted.replace(/\\[a-z0]|%[-#\d.]{0,9}(?:\(\w*\))?[A-Za-z]|\{[^{}]*\}/g, '');
  return (rest.match(/[\p{L}\p{N}]/gu) ?? []).length >= LEAST_SAID;
}

/** Whether a text that a file writes down to know it again is an input of the tests as a whole. */
export function isWrittenDown(
  text: string,
  facts: Pick<TaskFacts, 'testText' | 'allTests' | 'issue'>,
): boolean {
  const { testText, allTests, issue } = facts;
  if (isInputOfTests(text, facts)) return true;
  if (isName(text) || LONG_NAME.test(text) || issue.includes(text)) return false;
  if (!isSpecial({ value: text, isNumber: false, isWhole: true }) || !saysMuch(text)) return false;
  const isLong = /\s/.test(text) || (text.length >= LONG_INPUT && !text.includes('://'));
  const tests = isLong ? allTests : testText;
  return tests.includes(text) && new RegExp(`["'\`]${escaped(text)}["'\`]`).test(tests);
}

export function specialCase(value: string, node: SyntaxNode): Site {
  const shown = JSON.stringify(value.slice(0, 60));
  const what = `compares with ${shown}, which only the tests have`;
  return { rule: 'names-tests', key: `literal ${value}`, what, node };
}

function isSpecial({ value, isNumber }: Compared): boolean {
  if (isNumber) {
    const plain = plainNumber(value);
    return plain === null ? hasManyDigits(value) : plain.length >= 4 && !isCommonNumber(plain);
  }
  return /^[A-Za-z]*$/.test(value) ? value.length >= 12 : value.length >= 8;
}

/** A fraction with four digits or more between its zeros, so neither a tolerance nor a share. */
function hasManyDigits(number: string): boolean {
  const digits = number.replace(/e.*$/i, '').replace(/\D/g, '');
  return digits.replace(/^0+|0+$/g, '').length >= 4;
}

/**
 * Whether the tests have a literal. What a value equals as a whole is at an edge of one of their literals, or a number,
 * or a line: a word in the middle of a text is a word of the language that the code reads.
 */
function isOfTests({ value, isNumber, isWhole }: Compared, testText: string): boolean {
  if (!isWhole) return testText.includes(value);
  const text = escaped(value);
  if (isNumber) return new RegExp(`(?<![\\w.])${text}(?![\\w.])`).test(testText);
  return new RegExp(`["'\`]${text}|${text}["'\`]|^[-+ ]?\\s*${text}\\s*$`, 'm').test(testText);
}
