/** What a repository's recipe must say beside what its ecosystem says by itself. */
import type { PartialRecipe } from '../../schemas/recipe.ts';

export interface LanguageProposal {
  recipe: PartialRecipe;
  /** Where its keys come from, a line each. */
  notes: string[];
}
