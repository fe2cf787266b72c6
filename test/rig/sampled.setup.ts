import { beforeEach } from 'vitest';
import { isLeftOut, isSampled } from './sampled.ts';

if (isSampled)
  beforeEach(({ task, skip }) => {
    if (isLeftOut(task)) skip('tried at another commit, or without TEST_SHARE');
  });
