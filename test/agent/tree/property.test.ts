import { exactness } from './exactness.ts';
import { tokenIn } from './token-in.ts';

exactness(100);
tokenIn(100);
