/** The address of an uploaded file, relative to the address of the organization. */
const UPLOAD =
  /^\/?user_uploads\/(?:download\/)?(?<pathId>[0-9]{1,15}\/[0-9a-f]{2}\/[A-Za-z0-9_-]{24}\/[^/?#]{1,400})(?:[?#].*)?$/s

/** Returns the path of the uploaded file that a link of this organization points to; null for all other links. */
export function linkedPathId(href: string): string | null {
  return UPLOAD.exec(decoded(href))?.groups?.['pathId'] ?? null
}

/** Returns the paths of the files that the HTML of a message links to. */
export function pathIdsIn(html: string): Set<string> {
  if (!html.includes('user_uploads/')) return new Set()
  return pathIdsOf(Array.from(html.matchAll(/<a href="([^"]*)"/g), ([, href = '']) => href))
}

/**
 * Returns the paths of the files that the Markdown may link to. Rendering may show some of these addresses as plain
 * text.
 */
export function pathIdsNamedIn(markdown: string): Set<string> {
  if (!markdown.includes('user_uploads/')) return new Set()
  return pathIdsOf(Array.from(markdown.matchAll(/user_uploads\/[^\s()<>"'[\]]+/g), ([path]) => path))
}

const pathIdsOf = (links: readonly string[]) => new Set(links.map(linkedPathId).filter((pathId) => pathId !== null))

/** Decodes percent escapes. Returns the address unchanged if an escape is invalid. */
function decoded(href: string): string {
  if (!href.includes('%')) return href
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}
