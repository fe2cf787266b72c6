/** Conversations that are one call each, whose earlier replies are trained in other conversations. */
import type { SftConfig } from '../../schemas/generated/project.ts';
import type { Problem } from '../trainer.ts';

type Samples = Pick<SftConfig, 'samples' | 'data' | 'command'>;

/**
 * Whether each conversation is one call, whose prompt holds replies that other conversations train. A command of the project
 * decides itself what it trains.
 */
export function isOfSteps({ samples, data, command }: Samples): boolean {
  return samples === 'step' && data === undefined && command === undefined;
}

/** For frameworks that train all replies of a conversation. */
export function stepProblems(title: string, config: Samples): Problem[] {
  return isOfSteps(config)
    ? [
        {
          path: ['samples'],
          message: `${title} trains all replies of a conversation, and those of earlier steps are in each later one`,
          remedy: 'write samples: trajectory, or use type: trl, skyrl or slime',
        },
      ]
    : [];
}
