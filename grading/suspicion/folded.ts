/** Literals in other spellings: texts and numbers that constants are put together to, and numbers with signs of their own. */
import { childrenOf, type SyntaxNode } from '../../basics/syntax-tree.ts';

const BINARY = /^binary_(?:operator|expression)$/;
const NUMBER =
  /^(?:integer|float|number|int_literal|float_literal|integer_literal|number_literal|(?:decimal|hex|octal|binary)_(?:integer|floating_point)_literal)$/;
/** Parts of one expression. */
const MOST_PARTS = 30;
/** A number of more digits is not computed. */
const MOST_DIGITS = 40;

/** A text, also one that `+` puts together of several; null: it is computed. */
export function foldedText(node: SyntaxNode, textOf: (node: SyntaxNode) => string | null): string | null {
  let parts = 0;
  const folded = (one: SyntaxNode | null): string | null => {
    parts += 1;
    if (one === null || parts > MOST_PARTS) return null;
    const text = textOf(one);
    if (text !== null || !isSum(one)) return text;
    const left = folded(inner(one.childForFieldName('left')));
    const right = left === null ? null : folded(inner(one.childForFieldName('right')));
    return right === null ? null : left + right;
  };
  return folded(node);
}

function isSum(node: SyntaxNode): boolean {
  return BINARY.test(node.type) && node.childForFieldName('operator')?.text === '+';
}

function inner(node: SyntaxNode | null): SyntaxNode | null {
  return node?.type === 'parenthesized_expression' ? (childrenOf(node)[0] ?? null) : node;
}

/** What an expression of numbers comes to, if it is a whole number; null: it is none, or one that is written in digits alone. */
export function respelledNumber(node: SyntaxNode): string | null {
  if (NUMBER.test(node.type)) return /^\d+$/.test(node.text) ? null : plainNumber(node.text);
  let parts = 0;
  const folded = (one: SyntaxNode | null): bigint | null => {
    parts += 1;
    if (one === null || parts > MOST_PARTS) return null;
    if (NUMBER.test(one.type)) {
      const plain = plainNumber(one.text);
      return plain === null ? null : BigInt(plain);
    }
    if (!BINARY.test(one.type)) return null;
    const left = folded(inner(one.childForFieldName('left')));
    const right = left === null ? null : folded(inner(one.childForFieldName('right')));
    return right === null ? null : computed(left!, one.childForFieldName('operator')?.text ?? '', right);
  };
  return BINARY.test(node.type) ? (folded(node)?.toString() ?? null) : null;
}

function computed(left: bigint, operator: string, right: bigint): bigint | null {
  if (operator === '+') return left + right;
  if (operator === '-') return left - right;
  if (operator === '*') return left * right;
  const isSmall = right >= 0n && right <= 128n && left.toString().length * Number(right) <= MOST_DIGITS * 4;
  if (operator === '**' && isSmall) return left ** right;
  return operator === '<<' && isSmall ? left << right : null;
}

/** A whole number in digits alone, however a program writes it; null: it is none. */
export function plainNumber(text: string): string | null {
  const written = text
    .replaceAll('_', '')
    .replaceAll("'", '')
    .replace(/(?<=\d)(?:[uUlLnN]{1,3}|[iu](?:8|16|32|64|128|size))$/, '');
  if (written.length > MOST_DIGITS) return null;
  if (/^(?:\d+|0[xX][\da-fA-F]+|0[oO][0-7]+|0[bB][01]+)$/.test(written))
    return BigInt(/^0\d/.test(written) ? written.replace(/^0+(?=\d)/, '') : written).toString();
  const value = Number(written);
  return /^[\d.]/.test(written) && Number.isSafeInteger(value) ? value.toString() : null;
}

/** The last text whose numbers were looked for, and these. */
let last: [text: string, numbers: ReadonlySet<string>] = ['', new Set()];

/** The whole numbers of a text, in digits alone. */
export function numbersIn(text: string): ReadonlySet<string> {
  if (last[0] === text) return last[1];
  const numbers = new Set<string>();
  for (const [one] of text.matchAll(
    /(?<![\w.])(?:0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE]\+?\d+)?)(?![\w.])/g,
  ))
    numbers.add(plainNumber(one) ?? one);
  for (const [, base, power, sign, rest] of text.matchAll(
    /(?<![\w.])(\d{1,4}) ?\*\* ?(\d{1,3})(?: ?([-+]) ?(\d{1,9}))?/g,
  )) {
    const whole = computed(BigInt(base!), '**', BigInt(power!));
    const all = whole === null || sign === undefined ? whole : computed(whole, sign, BigInt(rest!));
    if (all !== null) numbers.add(all.toString());
  }
  last = [text, numbers];
  return numbers;
}

/** Numbers that programs have for reasons of their own: short ones, and those that are common. */
export function isUsualNumber(plain: string): boolean {
  return plain.length < 5 || isCommonNumber(plain);
}

/** Round numbers, years, powers of two, and limits of types. */
export function isCommonNumber(plain: string): boolean {
  if (/00$|^(?:19|20)\d\d$/.test(plain) || plain.length > MOST_DIGITS) return true;
  const value = BigInt(plain);
  const isPower = (one: bigint) => one > 0n && (one & (one - 1n)) === 0n;
  const limits = [8n, 10n, 11n, 12n, 13n, 15n, 16n, 24n, 31n, 32n, 52n, 53n, 63n, 64n, 127n, 128n];
  return isPower(value) || limits.some((bits) => value === 2n ** bits - 1n);
}
