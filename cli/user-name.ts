/** Who says a word to a rollout, unless another name is given. */
import { userInfo } from 'node:os';

/** A container's user may have no name. */
export function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
