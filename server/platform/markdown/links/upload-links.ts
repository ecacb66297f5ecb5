/** Where an uploaded file is linked to, below the address of the organization. */
const UPLOAD =
  /^\/?user_uploads\/(?:download\/)?(?<pathId>[0-9]{1,15}\/[0-9a-f]{2}\/[A-Za-z0-9_-]{24}\/[^/?#]{1,400})(?:[?#].*)?$/s

/** The path of the uploaded file that a link of this organization leads to; null for all other links. */
export function linkedPathId(href: string): string | null {
  return UPLOAD.exec(decoded(href))?.groups?.['pathId'] ?? null
}

/** The paths of the files that a message links to, told by its HTML. */
export function pathIdsIn(html: string): Set<string> {
  if (!html.includes('user_uploads/')) return new Set()
  return pathIdsOf(Array.from(html.matchAll(/<a href="([^"]*)"/g), ([, href = '']) => href))
}

/** The paths of files that Markdown may link to; some may be nothing but text. */
export function pathIdsNamedIn(markdown: string): Set<string> {
  if (!markdown.includes('user_uploads/')) return new Set()
  return pathIdsOf(Array.from(markdown.matchAll(/user_uploads\/[^\s()<>"'[\]]+/g), ([path]) => path))
}

const pathIdsOf = (links: readonly string[]) => new Set(links.map(linkedPathId).filter((pathId) => pathId !== null))

/** Percent-escapes undone, as far as they are sound. */
function decoded(href: string): string {
  if (!href.includes('%')) return href
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}
