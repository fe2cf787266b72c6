import { exactness } from './exactness.ts';

exactness(100);
