import { exactness } from './exactness.ts';
import { tokenIn } from './token-in.ts';

exactness(1000);
tokenIn(1000);
