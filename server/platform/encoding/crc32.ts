/** The polynomial of gzip's checksums, its lowest power in the highest bit. */
const POLYNOMIAL = 0xedb88320
const ONE = 0x80000000

/** What text that follows does to the checksum before it: a power of x, by how many bytes follow. */
export type Crc32Shift = number

/** The checksum of a text from those of its two parts. `shift` is that of the second. */
export function combineCrc32(first: number, second: number, shift: Crc32Shift): number {
  return (product(shift, first) ^ second) >>> 0
}

/** x to the power of eight times `length`, which is below 2^32. */
export function crc32Shift(length: number): Crc32Shift {
  let shift = ONE
  for (let [rest, at] = [length, 3]; rest > 0; rest >>>= 1, at += 1)
    if (rest & 1) shift = product(POWERS[at % POWERS.length] as number, shift)
  return shift
}

/** x to the powers of 1, 2, 4, 8 …; after the 32nd they begin again. */
const POWERS: number[] = [ONE >>> 1]
while (POWERS.length < 32) POWERS.push(product(POWERS.at(-1) as number, POWERS.at(-1) as number))

/** Of two polynomials, modulo POLYNOMIAL. */
function product(one: number, other: number): number {
  let sum = 0
  let right = other | 0
  for (let left = one | 0; left !== 0; left <<= 1) {
    // Without branches: what the bits are, nobody can guess.
    sum ^= right & (left >> 31)
    right = (right >>> 1) ^ (POLYNOMIAL & -(right & 1))
  }
  return sum >>> 0
}
