import { exactness } from './exactness.ts';

exactness(1000);
