/** Order of test files: the ones that wait longest begin first, so that nothing long is left for the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const SLOWEST_FIRST = ['test/chaos/sweep', 'test/chaos/', 'test/game-deployment/', 'test/'];

const rank = ({ moduleId }: TestSpecification): number => {
  const index = SLOWEST_FIRST.findIndex((part) => moduleId.includes(part));
  return index < 0 ? SLOWEST_FIRST.length : index;
};

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((left, right) => rank(left) - rank(right));
  }
}
