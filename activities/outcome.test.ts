import { describe, expect, it } from 'vitest';
import { apiError } from '../test/support/fake-cluster.ts';
import { aPod } from '../test/support/pods.ts';
import { type Failure, type Found, failureOf, judgeCreate, judgeDelete, judgePatch, type Outcome } from './outcome.ts';

const open: Failure = { kind: 'open' };
const lost: Failure = { kind: 'lost' };
const invalid: Failure = { kind: 'invalid', message: 'no' };
const refused: Failure = { kind: 'refused', message: 'no' };
const unsent: Failure = { kind: 'unsent' };

const same = aPod('r1', 'lobby-a').build();
const newer = aPod('r1', 'lobby-a')
  .with((pod) => Object.assign(pod.metadata, { resourceVersion: '200' }))
  .build();
const marked = aPod('r2', 'lobby-a')
  .with((pod) => Object.assign(pod.metadata, { resourceVersion: '200' }))
  .build();
const another = aPod('r1', 'lobby-a')
  .with((pod) => Object.assign(pod.metadata, { uid: 'uid-2' }))
  .build();
const terminating = aPod('r1', 'lobby-a')
  .with((pod) => Object.assign(pod.metadata, { resourceVersion: '200', deletionTimestamp: 'now' }))
  .build();

const resultOf = (outcome: Outcome): string => outcome.result;

describe('failureOf', () => {
  it.each([
    ['a connection that was refused', apiError('network', 'refused', false), 'unsent'],
    ['no answer', apiError('network'), 'open'],
    ['a deadline', apiError('timeout'), 'open'],
    ['a 500', apiError('unavailable'), 'open'],
    ['something that is no ApiError', new TypeError('what'), 'open'],
    ['409', apiError('conflict'), 'lost'],
    ['AlreadyExists', apiError('alreadyExists'), 'lost'],
    ['404', apiError('notFound'), 'lost'],
    ['422', apiError('invalid'), 'invalid'],
    ['403', apiError('forbidden'), 'refused'],
    ['429', apiError('tooManyRequests'), 'refused'],
  ])('%s', (_sentence, error, want) => {
    expect(failureOf(error).kind).toBe(want);
  });
});

describe('judgePatch', () => {
  const isDone = (pod: { metadata: { labels?: Record<string, string> } }) =>
    pod.metadata.labels?.['controller-revision-hash'] === 'r2';

  it.each<[string, Failure, Found, Outcome['result']]>([
    ['refused needs no look', refused, 'unreadable', 'refused'],
    ['never sent', unsent, 'unreadable', 'moved'],
    ['409 and the pod cannot be read', lost, 'unreadable', 'moved'],
    ['409 and the pod is gone', lost, 'none', 'gone'],
    ['409 and another pod has the name', lost, another, 'gone'],
    ['409 and the pod carries our mark', lost, marked, 'done'],
    ['409 and somebody else changed it', lost, newer, 'moved'],
    ['404 and yet the pod is there', lost, same, 'moved'],
    ['422 because the uid is another', invalid, another, 'gone'],
    ['422 because of the body', invalid, same, 'refused'],
    ['422 and the pod cannot be read', invalid, 'unreadable', 'refused'],
    ['no answer and the pod cannot be read', open, 'unreadable', 'unknown'],
    ['no answer and the pod is unchanged: it may land yet', open, same, 'unknown'],
    ['no answer and the pod carries our mark', open, marked, 'done'],
    ['no answer and the pod has moved on: it cannot land', open, newer, 'moved'],
    ['no answer and the pod is gone', open, 'none', 'gone'],
  ])('%s', (_sentence, failure, found, want) => {
    expect(resultOf(judgePatch(failure, found, same, isDone))).toBe(want);
  });
});

describe('judgeDelete', () => {
  it.each<[string, Failure, Found, Outcome['result']]>([
    ['403', refused, 'unreadable', 'refused'],
    ['never sent', unsent, 'unreadable', 'moved'],
    ['409 after an own success: the pod terminates', lost, terminating, 'done'],
    ['409 and somebody else changed it', lost, newer, 'moved'],
    ['404', lost, 'none', 'gone'],
    ['409 because the name has another pod', lost, another, 'gone'],
    ['no answer and the pod is unchanged', open, same, 'unknown'],
    ['no answer and the pod terminates', open, terminating, 'done'],
    ['no answer and the pod has moved on', open, newer, 'moved'],
    ['no answer and no look', open, 'unreadable', 'unknown'],
  ])('%s', (_sentence, failure, found, want) => {
    expect(resultOf(judgeDelete(failure, found, { uid: 'uid-lobby-a', resourceVersion: '100' }))).toBe(want);
  });

  it.each<[string, Failure, Found, Outcome['result']]>([
    ['no answer, and the pod terminates as it did before', open, terminating, 'moved'],
    ['no answer, and the pod is unchanged: it may land yet', open, { ...terminating, ...same }, 'unknown'],
    ['no answer, and the pod is gone', open, 'none', 'gone'],
  ])('by force: %s', (_sentence, failure, found, want) => {
    const sent = { uid: 'uid-lobby-a', resourceVersion: '100', force: true } as const;
    expect(resultOf(judgeDelete(failure, found, sent))).toBe(want);
  });
});

describe('judgeCreate', () => {
  it.each<[string, Failure, Found, boolean, Outcome['result']]>([
    ['quota', refused, 'unreadable', false, 'refused'],
    ['422', invalid, 'unreadable', false, 'refused'],
    ['never sent', unsent, 'unreadable', false, 'moved'],
    ['AlreadyExists and it is ours', lost, same, true, 'done'],
    ['AlreadyExists and it is not ours', lost, same, false, 'taken'],
    ['a conflict inside the apiserver', lost, 'none', false, 'moved'],
    ['no answer and there is no pod yet', open, 'none', false, 'unknown'],
    ['no answer and the pod is there', open, same, true, 'done'],
    ['no answer and no look', open, 'unreadable', false, 'unknown'],
  ])('%s', (_sentence, failure, found, isOurs, want) => {
    expect(resultOf(judgeCreate(failure, found, () => isOurs))).toBe(want);
  });
});
