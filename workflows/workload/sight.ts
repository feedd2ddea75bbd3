/**
 * How a workload sees the world: beside the workflow where there is something to do or to tell at once, else parked until there
 * is (docs/adr/0018). A look beside it is a marker; a parked one is six events and two ways through the server.
 */
import {
  ActivityCancellationType,
  CancellationScope,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type { Observation, ObserveRequest, WorkloadActivities } from '../../activities/types.ts';
import { BESIDE, doBeside } from '../beside.ts';
import { OBSERVE_QUEUE } from '../queues.ts';
import type { WorkloadBox } from './inbox.ts';
import { looksBeside } from './patches.ts';

const { observe } = proxyActivities<WorkloadActivities>({
  taskQueue: OBSERVE_QUEUE,
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  // An outage of the API is over for pods soon after it is over.
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
});
const beside = proxyLocalActivities<Pick<WorkloadActivities, 'lookNow'>>(BESIDE);

export class Sight {
  readonly #box: WorkloadBox;
  /** Pods are under way: what is to be seen comes with them. */
  isWaiting = false;

  constructor(box: WorkloadBox) {
    this.#box = box;
  }

  /** Undefined where a message made the look worthless before it was over. */
  async look(request: ObserveRequest): Promise<Observation | undefined> {
    if (!this.isWaiting && looksBeside()) {
      const seen = await lookBeside(request);
      // What came meanwhile would interrupt a parked look.
      if (seen !== undefined || this.#box.state.isRung) return seen;
    }
    return await this.#park(request);
  }

  async #park(request: ObserveRequest): Promise<Observation | undefined> {
    const scope = new CancellationScope();
    this.#box.interrupt = () => scope.cancel();
    try {
      return await scope.run(() => observe.executeWithOptions({ summary: 'look' }, [request]));
    } catch (error) {
      if (isCancellation(error) && scope.consideredCancelled && !CancellationScope.current().consideredCancelled)
        return undefined;
      throw error;
    } finally {
      this.#box.interrupt = undefined;
    }
  }
}

/** One that fails is followed by a parked one, which is tried again. */
const lookBeside = (request: ObserveRequest): Promise<Observation | undefined> =>
  doBeside(
    () => beside.lookNow.executeWithOptions({ summary: 'look' }, [request]),
    async () => undefined,
  );
