/** The longest name that a file's URL ends with, in characters. */
const MAX_LENGTH = 100

/**
 * A name that can stand in a URL and in Markdown: letters and digits of any script, `.`, `-` and `_`; white space becomes
 * a hyphen. Of a name that is too long the middle goes, so that its extension stays.
 */
export function urlName(fileName: string): string {
  const kept = fileName
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N}_\s.-]/gu, '')
    .trim()
    .replace(/[-\s]+/g, '-')
  const letters = Array.from(kept)
  const short =
    letters.length <= MAX_LENGTH ? kept : [...letters.slice(0, MAX_LENGTH - 20), ...letters.slice(-20)].join('')
  return /^\.*$/.test(short) ? 'uploaded-file' : short
}

/** The name that the client gave, as it is shown: percent-escapes undone, without folders and control characters. */
export function shownName(fileName: string): string {
  const name = unescaped(fileName)
    .replaceAll('\\', '/')
    .replace(/\p{Cc}/gu, '')
  return (
    name
      .slice(name.lastIndexOf('/') + 1)
      .slice(0, 255)
      .toWellFormed() || 'uploaded-file'
  )
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
