/**
 * Deletes one part after another until nothing is left. Returns false if `signal` is aborted first; parts that are
 * already deleted are not restored. Calls `onMore` after each part that leaves more to delete.
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
