/** The polynomial of gzip's checksums, with its lowest power in the highest bit. */
const POLYNOMIAL = 0xedb88320
const ONE = 0x80000000

/**
 * The effect that appended text has on the checksum before it: a power of x that depends on the number of appended
 * bytes.
 */
export type Crc32Shift = number

/** Returns the checksum of a string from the checksums of its two parts. `shift` belongs to the second part. */
export function combineCrc32(first: number, second: number, shift: Crc32Shift): number {
  return (product(shift, first) ^ second) >>> 0
}

/** Returns x to the power of eight times `length`, which must be below 2^32. */
export function crc32Shift(length: number): Crc32Shift {
  let shift = ONE
  for (let [rest, at] = [length, 3]; rest > 0; rest >>>= 1, at += 1)
    if (rest & 1) shift = product(POWERS[at % POWERS.length] as number, shift)
  return shift
}

/** x to the powers of 1, 2, 4, 8 …; they repeat after the 32nd. */
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
