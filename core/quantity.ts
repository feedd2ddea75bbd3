/** Kubernetes quantities (`500m`, `0.5`, `1Gi`, `1e3`) in one spelling, so that equal amounts compare equal. */

const QUANTITY = /^([+-]?)(\d*)(?:\.(\d*))?(?:([eE])([+-]?\d+)|([numkMGTPE]|[KMGTPE]i))?$/;
const DECIMAL_EXPONENT: Record<string, number> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY_POWER: Record<string, bigint> = { Ki: 1n, Mi: 2n, Gi: 3n, Ti: 4n, Pi: 5n, Ei: 6n };
/** Smaller parts do not exist in the API, which rounds them up. */
const NANO_DIGITS = 9;
/** Larger exponents are no amount that anybody has; they keep their spelling. */
const LARGEST_EXPONENT = 40;

/**
 * The amount in billionths, as decimal text with the suffix `n`. What is no quantity comes back as it was: the API
 * refuses it elsewhere, and two different mistakes stay different.
 */
export function canonicalQuantity(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const match = QUANTITY.exec(String(value));
  if (match === null) return value;
  const [, sign = '', whole = '', fraction = '', , exponent, suffix = ''] = match;
  const power = exponent === undefined ? (DECIMAL_EXPONENT[suffix] ?? 0) : Number(exponent);
  if (whole + fraction === '' || Math.abs(power) > LARGEST_EXPONENT) return value;
  const mantissa = BigInt(whole + fraction) * 1024n ** (BINARY_POWER[suffix] ?? 0n);
  const nanos = scaled(mantissa, power + NANO_DIGITS - fraction.length);
  return `${sign === '-' && nanos !== 0n ? '-' : ''}${nanos}n`;
}

function scaled(mantissa: bigint, exponent: number): bigint {
  if (exponent >= 0) return mantissa * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return (mantissa + divisor - 1n) / divisor;
}
