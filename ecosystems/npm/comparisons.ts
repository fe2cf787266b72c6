/** Comparisons that do not look at the other value, and constructors that forget what they are given, in the text of JavaScript. */
import { endOf } from '../doubts.ts';

/** The head of a function that compares, up to its body; the first group is the other value. */
export const COMPARISON =
  /\b(?:equals?|equalTo|deepEquals?|eq|isEqual(?:To)?|isSame(?:As)?|sameAs|hasSame\w{1,40}|isEquivalent(?:To)?|isIdentical(?:To)?|compare(?:To)?)\b["'`\]]{0,2}\s{0,20}(?:[=:]\s{0,20}(?:function\b\s{0,20}\w{0,60}\s{0,20})?)?\(\s{0,20}(\w{0,60})(?:\s{0,20}[?:][^(),]{1,60})?\s{0,20}\)\s{0,20}(?::\s{0,20}\w{1,40}\s{0,20})?(?:=>\s{0,20}\{?|\{)/g;
/** The head of a constructor of one value, or of a function that makes an object of one. */
export const MAKER =
  /\bconstructor\s{0,20}\(\s{0,20}(\w{1,60})(?:\s{0,20}[?:=][^(),]{1,60})?\s{0,20}\)\s{0,20}\{|\bfunction\s{1,20}(?:make|create|new|of|from)\w{0,60}\s{0,20}\(\s{0,20}(\w{1,60})\s{0,20}\)\s{0,20}\{(?=\s{0,20}return\s+new\s)|\b(?:make|create|new|of|from)\w{0,60}\s{0,20}[=:]\s{0,20}\(?\s{0,20}(\w{1,60})\s{0,20}\)?\s{0,20}=>\s{0,20}(?=new\s)/g;
const MAX_BODY = 3000;

/** Whether the function whose head stands at `index` looks at what it compares with. */
export function looksAtOther(code: string, index: number): boolean {
  const head = headAt(COMPARISON, code, index);
  if (head === null) return true;
  const body = bodyBehind(code, head);
  if (body === null) return true;
  if (/^\s*(?:return\s+)?(?:false|null|undefined)?\s*;?\s*\}?$|^\s*throw\b/.test(body)) return true;
  const [, other = ''] = head;
  if (other === '') return !/^\s*(?:return\s+)?(?:true|0)\b/.test(body);
  const left = body
    .replace(new RegExp(String.raw`!+\s*${other}(?![\w.[(])`, 'g'), '')
    .replace(new RegExp(String.raw`\b${other}\s*[!=]==?\s*(?:null|undefined)\b`, 'g'), '')
    .replace(new RegExp(String.raw`\btypeof\s+${other}\s*[!=]==?\s*["'\`]\w+["'\`]`, 'g'), '');
  // A class without a value has nothing else to compare.
  const isOfKind = new RegExp(String.raw`\b${other}\s+instanceof\s+\w+`, 'g');
  const around = code.slice(Math.max(0, index - MAX_BODY), index + MAX_BODY);
  const hasValues = isOfKind.test(left) && /\bthis\s*\.\s*#?\w+\s*=(?!=)/.test(around);
  const ofKind = hasValues ? left.replace(isOfKind, '') : left;
  return new RegExp(String.raw`\b${other}\b`).test(ofKind);
}

/** Whether the constructor whose head stands at `index` keeps what it is given, in a class that has values. */
export function keepsValue(code: string, index: number): boolean {
  const head = headAt(MAKER, code, index);
  if (head === null) return true;
  const [whole, given, made, arrow] = head;
  const name = given ?? made ?? arrow!;
  const body = bodyBehind(code, head);
  if (body === null) return true;
  if (
    /\bsuper\b|\bthrow\b|\barguments\b/.test(body) ||
    /^\s*(?:private|public|protected|readonly)\b/.test(whole)
  )
    return true;
  return new RegExp(String.raw`\b${name}\b`).test(body);
}

function headAt(pattern: RegExp, code: string, index: number): RegExpExecArray | null {
  const sticky = new RegExp(pattern.source, 'y');
  sticky.lastIndex = index;
  return sticky.exec(code);
}

/** What stands behind the head of a function: its block, or the expression of an arrow. Null: it is long. */
function bodyBehind(code: string, head: RegExpExecArray): string | null {
  const start = head.index + head[0].length;
  const near = code.slice(start - 1, start + MAX_BODY);
  if (head[0].endsWith('{')) {
    const end = endOf(near, 0);
    return end >= MAX_BODY ? null : near.slice(1, end);
  }
  let depth = 0;
  for (let at = 1; at < near.length; at += 1) {
    const one = near[at]!;
    if ('([{'.includes(one)) depth += 1;
    if (')]}'.includes(one)) depth -= 1;
    if (depth < 0 || (depth === 0 && (one === ';' || one === ',' || one === '\n'))) return near.slice(1, at);
  }
  return null;
}
