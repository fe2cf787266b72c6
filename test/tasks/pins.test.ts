/** What a lock says that a name means is what is used. */
import { expect, test } from 'vitest';
import { modelName, packageLines, pinnedImage, pinnedRevision } from '../../tasks/pins.ts';

const COMMIT = 'a'.repeat(40);
const DIGEST = `sha256:${'1'.repeat(64)}`;

test('a model of the hub is the locked commit, as long as the project asks for the same revision', () => {
  const pins = { models: { 'a/b@main': COMMIT } };
  expect(pinnedRevision({ id: 'a/b' }, pins)).toBe(COMMIT);
  expect(pinnedRevision({ id: 'a/b', revision: 'main' }, pins)).toBe(COMMIT);
  expect(pinnedRevision({ id: 'a/b', revision: 'v2' }, pins)).toBe('v2');
  expect(pinnedRevision({ id: 'a/c' }, pins)).toBeUndefined();
  expect(pinnedRevision({ id: 'a/b' }, undefined)).toBeUndefined();
  expect(modelName({ id: 'a/b' })).toBe('a/b@main');
});

test('an image is the locked digest, whatever form its name has', () => {
  const pins = { images: { 'docker.io/acme/miles:latest': DIGEST } };
  expect(pinnedImage('acme/miles', pins)).toBe(`acme/miles@${DIGEST}`);
  expect(pinnedImage('acme/miles:latest', pins)).toBe(`acme/miles:latest@${DIGEST}`);
  expect(pinnedImage('acme/miles:2', pins)).toBe('acme/miles:2');
  expect(pinnedImage(`acme/miles@${DIGEST}`, pins)).toBe(`acme/miles@${DIGEST}`);
  expect(pinnedImage('acme/miles', undefined)).toBe('acme/miles');
});

test('packages are those of the list, whatever uv wrote between them', () => {
  const note = 'Using Python 3.11.7 environment at: /opt/env';
  const list = ['a==1', 'b==2'];
  for (const text of [
    'a==1\nb==2\n',
    `a==1\nb==2\n${note}\n`,
    `${note}a==1\nb==2\n\n`,
    `${note}\na==1\nb==2\n`,
  ])
    expect(packageLines(text)).toEqual(list);
});
