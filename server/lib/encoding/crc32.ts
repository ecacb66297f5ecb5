/** The polynomial of gzip's checksums. The highest bit is the coefficient of the lowest power. */
const POLYNOMIAL = 0xedb88320
const ONE = 0x80000000

/**
 * The factor by which appended text multiplies the checksum of the text before it. It is a power of x that depends on
 * the number of appended bytes.
 */
export type Crc32Shift = number

/** Returns the checksum of a string from the checksums of its two parts. `shift` is the shift of the second part. */
export function combineCrc32(first: number, second: number, shift: Crc32Shift): number {
  return (product(shift, first) ^ second) >>> 0
}

/** Returns x^(8 · `length`) modulo POLYNOMIAL. `length` must be below 2^32. */
export function crc32Shift(length: number): Crc32Shift {
  let shift = ONE
  for (let [rest, at] = [length, 3]; rest > 0; rest >>>= 1, at += 1)
    if (rest & 1) shift = product(POWERS[at % POWERS.length] as number, shift)
  return shift
}

/** The powers x^1, x^2, x^4, x^8 … modulo POLYNOMIAL. They repeat after the 32nd. */
const POWERS: number[] = [ONE >>> 1]
while (POWERS.length < 32) POWERS.push(product(POWERS.at(-1) as number, POWERS.at(-1) as number))

/** Multiplies two polynomials modulo POLYNOMIAL. */
function product(one: number, other: number): number {
  let sum = 0
  let right = other | 0
  for (let left = one | 0; left !== 0; left <<= 1) {
    // Avoids branches, because the processor cannot predict them here.
    sum ^= right & (left >> 31)
    right = (right >>> 1) ^ (POLYNOMIAL & -(right & 1))
  }
  return sum >>> 0
}
