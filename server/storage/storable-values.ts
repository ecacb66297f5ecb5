const MAX_INT64 = 2n ** 63n - 1n
const MIN_INT64 = -(2n ** 63n)

/**
 * Returns text that both databases can store. PostgreSQL cannot store U+0000, and neither database can store lone
 * surrogates. Each of these becomes U+FFFD.
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
