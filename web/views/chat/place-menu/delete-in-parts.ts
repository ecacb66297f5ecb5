/**
 * Deletes one part after the other until nothing is left, and returns true; false where `signal` has ended it before.
 * `onMore` hears after each part that more is left. What was deleted stays so, whatever becomes of the rest.
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
