/**
 * An admission webhook that lets nothing pass until it is told to: a request it holds keeps its seat in the apiserver.
 * It serves with the apiserver's own certificate, which is valid for the same address.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import type { KubernetesObject } from '../../crds/kubernetes.ts';

export interface AdmissionHold {
  /** The ValidatingWebhookConfiguration to create. */
  configuration: KubernetesObject;
  /** How many requests wait now. */
  readonly held: number;
  /** Lets those that wait pass. */
  release(): void;
  close(): Promise<void>;
}

/** Holds the creation of config maps in one namespace. */
export async function startAdmissionHold(certDir: string, namespace: string): Promise<AdmissionHold> {
  const certificate = readFileSync(join(certDir, 'apiserver.crt'));
  let waiting: (() => void)[] = [];
  const key = readFileSync(join(certDir, 'apiserver.key'));
  const server = createServer({ cert: certificate, key }, async (request, response) => {
    const uid = await reviewUid(request);
    waiting.push(() => allow(response, uid));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the webhook has no port');
  const release = () => {
    for (const pass of waiting) pass();
    waiting = [];
  };
  return {
    configuration: describeWebhook(`https://127.0.0.1:${address.port}/`, certificate.toString('base64'), namespace),
    get held() {
      return waiting.length;
    },
    release,
    close: () => {
      release();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function reviewUid(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return JSON.parse(body).request.uid;
}

function allow(response: ServerResponse, uid: string): void {
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(review));
}

function describeWebhook(url: string, caBundle: string, namespace: string): KubernetesObject {
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'hold' },
    webhooks: [
      {
        name: 'hold.holdfast.dev',
        clientConfig: { url, caBundle },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: 30,
      },
    ],
  };
  return configuration;
}
