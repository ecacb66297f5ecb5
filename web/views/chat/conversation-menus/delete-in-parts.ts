/**
 * Deletes one part after the other until nothing is left. Returns false if `signal` was aborted before; deleted parts
 * are not restored. `onMore` is called after each part that leaves more to delete.
 */
export async function deleteInParts(options: {
  deletePart: () => Promise<{ complete: boolean }>
  onMore: () => void
  signal: AbortSignal
}): Promise<boolean> {
  const { deletePart, onMore, signal } = options
  while (!signal.aborted) {
    const { complete } = await deletePart()
    if (complete) return true
    onMore()
  }
  return false
}
