/** Whether a comparison of C++ with a number or a text holds only for an equal value. */

/** Numbers and texts that a value may be made to: of a number, if each of its type has a place in it. */
const WHOLE =
  /^(?:(?:unsigned|signed|long|int|double|std::size_t|size_t|u?int(?:32|64)_t|std::u?int(?:32|64)_t)(?:\s+(?:long|int))*|(?:std::)?string(?:_view)?)$/;
const HEAD =
  /^operator\s*==\s*(?:<[^<>]*>\s*)?\(([^()]{0,300})\)\s*(?:const\b\s*)?(?:noexcept\b\s*)?(?:(?:override|final)\b\s*)*(?:(;|=\s*delete\s*;)|\{((?:[^{}]|\{[^{}]*\}){0,600})\})/;
const GUARD = /^if\s*\(([^;=|?]{1,200})\)\s*return\s+false$/;
/** What a comparison reads of its own object: members, calls and parts, and no arithmetic that makes all values one. */
const OWN = /^[\w\s.:*()[\]]{1,200}$/;
const MAX_CODE = 1500;

/**
 * Of the operator that begins at `index`. It is such a one if it is only declared, since its code is judged where it stands; or if its one
 * comparison has the other value, as it is or as a value of its own class, on one side, and something that does not depend on it on the other.
 * `compared`: types of numbers and texts.
 */
export function isEquality(code: string, index: number, compared: RegExp): boolean {
  if (/\bstd\s*::\s*$/.test(code.slice(Math.max(0, index - 20), index))) return false;
  const [, list, end, body = ''] = HEAD.exec(code.slice(index, index + MAX_CODE)) ?? [];
  if (list === undefined) return false;
  const parameters = list.split(',').map((one) => one.trim());
  const others = parameters.filter((one) => !compared.test(one));
  if (parameters.length > 2 || others.length !== parameters.length - 1) return false;
  if (end !== undefined) return true;
  const [other = ''] = parameters.filter((one) => !others.includes(one));
  const name = /[\w>&*][\s&*]+(\w+)$/.exec(other)?.[1];
  if (name === undefined) return false;
  const statements = body.split(';').map((one) => one.trim());
  if (statements.pop() !== '') return false;
  const returned = /^return\b(.*)$/s.exec(statements.pop() ?? '')?.[1];
  const uses = body.match(new RegExp(`\\b${name}\\b`, 'g')) ?? [];
  if (returned === undefined || uses.length !== 1 || !statements.every((one) => GUARD.test(one)))
    return false;
  if (/[|?]|\+\+|--|(?<![=!<>])=(?!=)/.test(body)) return false;
  const [comparison = ''] = returned.split('&&').filter((part) => new RegExp(`\\b${name}\\b`).test(part));
  const sides = comparison.split('==').map((side) => side.trim());
  if (sides.length !== 2) return false;
  const [own, given] = new RegExp(`\\b${name}\\b`).test(sides[0]!)
    ? [sides[1]!, sides[0]!]
    : [sides[0]!, sides[1]!];
  const isType = (type: string) => holds(type, other) || isClass(type, code, index, others[0] ?? '');
  return (isValue(given, name, isType) && isOwn(own)) || (own === '0' && isOrder(given, name));
}

/** The value itself, or one of a type that holds it or of a class that is made of it. */
function isValue(text: string, name: string, isType: (type: string) => boolean): boolean {
  if (text === name) return true;
  const [, cast, made] =
    /^(?:static_cast\s*<\s*([\w:\s]{1,99}?)\s*>|([\w:]{1,99}))\s*(?:\(\s*\w+\s*\)|\{\s*\w+\s*\})$/.exec(
      text,
    ) ?? [];
  const type = cast ?? made;
  return type !== undefined && isType(type);
}

/** Whether a number or a text of a parameter stays the same as one of this type. */
function holds(type: string, parameter: string): boolean {
  if (!WHOLE.test(type)) return false;
  const given = parameter.replace(/\bconst\b|&|\w+\s*$/g, ' ').trim();
  const isText = (name: string) => /string|char\s*\*/.test(name);
  if (isText(type) || isText(given)) return isText(type) && isText(given);
  if (/\*/.test(given)) return false;
  if (/\b(?:float|double)\b/.test(given)) return /\bdouble\b/.test(type) && !/\blong\b/.test(given);
  const bits = bitsOf(given);
  return bits !== null && bits <= (/\bdouble\b/.test(type) ? 53 : (bitsOf(type) ?? 0));
}

function bitsOf(type: string): number | null {
  const own = /u?int(\d+)_t/.exec(type)?.[1];
  if (own !== undefined) return Number(own);
  if (/\blong\b|size_t|ptrdiff_t|intmax_t|intptr_t/.test(type)) return 64;
  if (/\bshort\b/.test(type)) return 16;
  if (/\bchar\b/.test(type)) return 8;
  if (/\bbool\b/.test(type)) return 1;
  return /\b(?:int|unsigned|signed)\b/.test(type) ? 32 : null;
}

function isOwn(text: string): boolean {
  const plain = text.replaceAll('->', '.').replace(/\bstatic_cast\s*<[\w:\s]{1,99}>/g, '');
  return OWN.test(plain) && /\b(?!(?:true|false|nullptr)\b)[A-Za-z_]/.test(plain);
}

/** The library's own comparison of texts. */
function isOrder(text: string, name: string): boolean {
  const parts = /^(?:std::)?strcmp\s*\(([^(),]{1,99}(?:\(\s*\))?)\s*,([^(),]{1,99}(?:\(\s*\))?)\)$/.exec(
    text,
  );
  if (parts === null) return false;
  const [left, right] = [parts[1]!.trim(), parts[2]!.trim()];
  return (left === name && isOwn(right)) || (right === name && isOwn(left));
}

/** A class by its declaration in the file, by the operator's own name, or by its other parameter; a function may be called in the same way. */
function isClass(type: string, code: string, index: number, other: string): boolean {
  if (!/^[\w:]+$/.test(type)) return false;
  const name = type.replace(/^.*::/, '');
  if (new RegExp(`#\\s*define\\s+${name}\\b`).test(code)) return false;
  const owner = /(\w+)\s*(?:<[^<>]*>\s*)?::\s*$/.exec(code.slice(Math.max(0, index - 200), index))?.[1];
  return (
    owner === name ||
    new RegExp(`\\b${name}\\s*(?:<[^<>]*>)?\\s*&{0,2}\\s*\\w*$`).test(other) ||
    new RegExp(`\\b(?:struct|class)\\s+${name}\\b\\s*(?:final\\b\\s*)?[:{]`).test(code)
  );
}
