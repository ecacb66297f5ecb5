const MAX_INT64 = 2n ** 63n - 1n
const MIN_INT64 = -(2n ** 63n)

/**
 * Returns the text that both databases can store: PostgreSQL has no U+0000 and neither has lone surrogates, so each of
 * these becomes U+FFFD.
 */
export function toStorableText(text: string): string {
  const wellFormed = text.toWellFormed()
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\ufffd') : wellFormed
}

/** Returns the integer, limited to the 64-bit range. */
export function clampToInt64(integer: bigint): bigint {
  if (integer > MAX_INT64) return MAX_INT64
  return integer < MIN_INT64 ? MIN_INT64 : integer
}
