/** JSON that was written elsewhere, or cut short by a kill. */
import { expect, test } from 'vitest';
import { jsonObject, parsedJson } from '../../basics/json.ts';

test.each(['', '{"a":', 'NaN', "{'a': 1}", '{} {}', '\u0000'])('%j is no value and no object', (text) => {
  expect(parsedJson(text)).toBeUndefined();
  expect(jsonObject(text)).toBeNull();
});

test.each(['null', '1', '"text"', 'true', '[{"a":1}]'])('%j is a value and no object', (text) => {
  expect(parsedJson(text)).toEqual(JSON.parse(text));
  expect(jsonObject(text)).toBeNull();
});

test('an object is both', () => {
  expect(parsedJson(' {"a": [1]} ')).toEqual({ a: [1] });
  expect(jsonObject('{"a": [1]}\n')).toEqual({ a: [1] });
});
