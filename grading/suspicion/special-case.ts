/** Conditions on literals of the tests, which are so special that code hardly has them by coincidence. */
import type { SyntaxNode } from '../../basics/syntax-tree.ts';
import { isInputOfTests } from './inputs.ts';
import { escaped, isName } from './pattern.ts';
import type { Site, TaskFacts } from './site.ts';

/** A literal that a condition compares with. */
export interface Compared {
  value: string;
  isNumber: boolean;
  /** A value equals it; else a value begins with it, ends with it or contains it. */
  isWhole: boolean;
}

/** Characters of an input without spaces that no word of a language or protocol has. */
const LONG_INPUT = 36;

/** Whether the tests have a literal, and the issue has not. */
export function isSpecialCase(
  compared: Compared,
  { testText, allTests, issue }: Pick<TaskFacts, 'testText' | 'allTests' | 'issue'>,
): boolean {
  const { value } = compared;
  if (isInputOfTests(value, { allTests, issue }, true)) return true;
  if (!isSpecial(compared) || issue.includes(value)) return false;
  if (!allTests.includes(value) && !testText.includes(value)) return false;
  // Of all files of tests, which have much, only inputs count that are compared as a whole.
  const isInput =
    compared.isWhole &&
    (/\s/.test(value) ? !isName(value) : value.length >= LONG_INPUT && !value.includes('://')) &&
    new RegExp(`["'\`]${escaped(value)}["'\`]`).test(allTests);
  return isInput || (testText !== '' && isOfTests(compared, testText));
}

export function specialCase(value: string, node: SyntaxNode): Site {
  const shown = JSON.stringify(value.slice(0, 60));
  const what = `compares with ${shown}, which only the tests have`;
  return { rule: 'names-tests', key: `literal ${value}`, what, node };
}

function isSpecial({ value, isNumber }: Compared): boolean {
  if (isNumber) return value.replace(/\D/g, '').length >= 4;
  return /^[A-Za-z]*$/.test(value) ? value.length >= 12 : value.length >= 8;
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
