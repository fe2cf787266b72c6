/** Waits until a limit of a second is over, and says how long that took. */
import { afterAwake, awakeNow } from '../../basics/awake.ts';

const [since, awakeSince] = [performance.now(), awakeNow()];
console.log('begun');
afterAwake(1000, () => {
  console.log(JSON.stringify({ took: performance.now() - since, awake: awakeNow() - awakeSince }));
});
