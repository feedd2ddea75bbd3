/**
 * Elects the one process that rings the bells (design §7): whoever runs the attempt of the single activity here. Decides
 * nothing else. Its memo holds the cluster's identity.
 */
import { ActivityCancellationType, continueAsNew, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import { DOORBELL_QUEUE } from './queues.ts';

export interface DoorbellActivities {
  /** Returns after some hours, so that the history stays short; another attempt takes over when it does not beat. */
  doorbell(): Promise<void>;
}

const activities = proxyActivities<DoorbellActivities>({
  taskQueue: DOORBELL_QUEUE,
  startToCloseTimeout: '1 day',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 1 },
});

export async function doorbell(): Promise<void> {
  setCurrentDetails('The pending activity names the worker that watches the cluster and rings the bells.');
  await activities.doorbell();
  await continueAsNew<typeof doorbell>();
}
