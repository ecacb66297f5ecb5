// Looks for a number whose SHA-256 hash with the nonce begins with enough zero bits. The message fits into one block of
// 64 bytes. crypto.subtle is missing on plain http, and slower for many small hashes.

const ROUNDS = Uint32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)))
const START = Uint32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)))
const words = new Uint32Array(64)

/** Returns the first 32 bits of the fractional part. */
function fraction(number) {
  return ((number % 1) * 2 ** 32) >>> 0
}

function primes(count) {
  const found = []
  for (let number = 2; found.length < count; number += 1)
    if (found.every((prime) => number % prime !== 0)) found.push(number)
  return found
}

const rotate = (word, by) => (word >>> by) | (word << (32 - by))

/** Returns the first 32 bits of the hash of a text of at most 55 ASCII characters. */
function firstWordOfHash(text) {
  words.fill(0, 0, 16)
  for (let at = 0; at < text.length; at += 1) words[at >> 2] |= text.charCodeAt(at) << (24 - 8 * (at & 3))
  words[text.length >> 2] |= 0x80 << (24 - 8 * (text.length & 3))
  words[15] = text.length * 8
  for (let at = 16; at < 64; at += 1) {
    const [early, late] = [words[at - 15], words[at - 2]]
    const one = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
    const two = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
    words[at] = words[at - 16] + one + words[at - 7] + two
  }
  let [a, b, c, d, e, f, g, h] = START
  for (let at = 0; at < 64; at += 1) {
    const one = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const chosen = (e & f) ^ (~e & g)
    const added = (h + one + chosen + ROUNDS[at] + words[at]) | 0
    const two = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    ;[h, g, f, e, d, c, b] = [g, f, e, (d + added) | 0, c, b, a]
    a = (added + two + majority) | 0
  }
  return (START[0] + a) >>> 0
}

addEventListener('message', ({ data: { nonce, bits } }) => {
  for (let number = 0; ; number += 1) {
    if (Math.clz32(firstWordOfHash(`${nonce}${number}`)) >= bits) {
      postMessage({ solution: number })
      return
    }
    // The chance that it was found by now.
    if (number % 8192 === 0) postMessage({ progress: 1 - Math.exp(-number / 2 ** bits) })
  }
})
