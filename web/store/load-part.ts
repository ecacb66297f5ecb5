/** A part of the client that did not come: the server cannot be reached, or has another version by now. */
export class NotLoadedError extends Error {
  override name = 'NotLoadedError'
}

/** Loads a part of the client; throws `NotLoadedError`. */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (cause) {
    throw new NotLoadedError('A part of the client was not loaded', { cause })
  }
}
