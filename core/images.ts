/** Image references as the container runtime reports them: `docker.io/library/redis:7` is `redis:7`. */

function normaliseImage(image: string): string {
  let rest = image.replace(/^docker:\/\//, '').replace(/^docker-pullable:\/\//, '');
  rest = rest.replace(/^(index\.)?docker\.io\//, '').replace(/^library\//, '');
  const [name = '', digest] = rest.split('@');
  const hasTag = name.lastIndexOf(':') > name.lastIndexOf('/');
  if (digest !== undefined) return `${hasTag ? name.slice(0, name.lastIndexOf(':')) : name}@${digest}`;
  return hasTag ? name : `${name}:latest`;
}

/** Equal after normalising registry, library prefix and the default tag. */
export const sameImage = (a: string, b: string): boolean => a === b || normaliseImage(a) === normaliseImage(b);
