/** The error of a part of the client that could not be loaded. The server is unreachable or has been upgraded. */
export class NotLoadedError extends Error {
  override name = 'NotLoadedError'
}

/** Loads a part of the client. Throws `NotLoadedError` if it cannot be loaded. */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (cause) {
    throw new NotLoadedError('A part of the client was not loaded', { cause })
  }
}
