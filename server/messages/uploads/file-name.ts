/** The maximum length of a name in a URL, in characters and in bytes. File systems limit the bytes. */
const [MAX_LENGTH, MAX_BYTES] = [100, 240]

/** The number of characters that are kept at the end of a long name. */
const TAIL_LENGTH = 20

/**
 * Returns a name that is safe in URLs and Markdown: letters and digits of any script, `.`, `-` and `_`. Whitespace becomes
 * a hyphen. A long name loses characters in the middle, so that its extension stays.
 */
export function toUrlName(fileName: string): string {
  const kept = fileName
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N}_\s.-]/gu, '')
    .trim()
    .replace(/[-\s]+/g, '-')
  const short = shorten(Array.from(kept))
  return /^\.*$/.test(short) ? 'uploaded-file' : short
}

function shorten(letters: readonly string[]): string {
  if (letters.length <= TAIL_LENGTH) return letters.join('')
  const tail = letters.slice(-TAIL_LENGTH).join('')
  let head = letters.slice(0, (letters.length <= MAX_LENGTH ? letters.length : MAX_LENGTH) - TAIL_LENGTH)
  while (Buffer.byteLength(head.join('') + tail) > MAX_BYTES) head = head.slice(0, -1)
  return head.join('') + tail
}

/**
 * Returns the client's file name for display. Percent-encoding is decoded, and folders and control characters are
 * removed.
 */
export function toDisplayName(fileName: string): string {
  const name = decodePercent(fileName)
    .replaceAll('\\', '/')
    .replace(/\p{Cc}/gu, '')
  return (
    name
      .slice(name.lastIndexOf('/') + 1)
      .slice(0, 255)
      .toWellFormed() || 'uploaded-file'
  )
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
