/** The longest name that a file's URL ends with, in characters; and in bytes, so that a file of a disk can be called so. */
const [MAX_LENGTH, MAX_BYTES] = [100, 240]

/** Characters at the end of a name that stay. */
const TAIL = 20

/**
 * A name that can stand in a URL and in Markdown: letters and digits of any script, `.`, `-` and `_`; white space becomes
 * a hyphen. Of a name that is too long the middle goes, so that its extension stays.
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
  if (letters.length <= TAIL) return letters.join('')
  const tail = letters.slice(-TAIL).join('')
  let head = letters.slice(0, (letters.length <= MAX_LENGTH ? letters.length : MAX_LENGTH) - TAIL)
  while (Buffer.byteLength(head.join('') + tail) > MAX_BYTES) head = head.slice(0, -1)
  return head.join('') + tail
}

/** The name that the client gave, as it is shown: percent-escapes undone, without folders and control characters. */
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
